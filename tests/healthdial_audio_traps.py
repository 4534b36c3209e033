"""Traps in the recordings of a HealthDial release: their bytes, names and places."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.healthdial_files import ExtraMember
from benchmarks.healthdial_generator import GeneratedRelease
from benchmarks.healthdial_records import system_file_name
from benchmarks.healthdial_signal import HEADER_BYTES, SAMPLE_RATE, wav_bytes
from healthdial.audio_pass import MUCH_MISSING
from tests.healthdial_trap import (
    Site,
    Trap,
    before,
    rename_user_audio,
    say,
    set_system_audio,
    set_user_audio,
    user_samples,
)

WEBM_MAGIC = bytes.fromhex("1A45DFA3")
MP4_MAGIC = bytes.fromhex("00000020") + b"ftypM4A "
TAG_EMAIL = "thistle.barge@mail.example.org"
TAG_DEVICE = "Thistle Barge's pocket recorder"


def encoded(samples: npt.NDArray[Any], sample_rate: int = SAMPLE_RATE, **options: str) -> bytes:
    """Return samples, shape (n,) or (n, channels), in a container that ``soundfile`` writes."""
    import soundfile

    stream = io.BytesIO()
    soundfile.write(stream, samples, sample_rate, **options)
    return stream.getvalue()


def junk(length: int) -> bytes:
    return np.random.default_rng(0).bytes(length)


def other_container(release: GeneratedRelease, site: Site) -> None:
    """Make one recording FLAC, one Ogg, one MP3; their names still say WAV."""
    samples = user_samples(release, site, 0)
    set_user_audio(release, site, 0, encoded(samples, format="FLAC"))
    set_user_audio(release, site, 1, encoded(samples, format="OGG", subtype="VORBIS"))
    set_system_audio(release, site, 0, encoded(samples, format="MP3"))


def undecodable(release: GeneratedRelease, site: Site) -> None:
    """Make one recording WebM, one MP4, by their magic bytes; one is a RIFF header and nothing that can be read."""
    set_user_audio(release, site, 0, WEBM_MAGIC + junk(4000))
    set_user_audio(release, site, 1, MP4_MAGIC + junk(4000))
    set_system_audio(release, site, 0, b"RIFF" + junk(40))


def streamed_header(release: GeneratedRelease, site: Site) -> None:
    """Write lengths as a recorder does that does not know them yet: the greatest, 0, and more than there is."""
    clean = wav_bytes(user_samples(release, site, 0))
    too_long_header = wav_bytes(np.zeros(len(clean), dtype=np.int16))[:HEADER_BYTES]
    unknown, zero = b"\xff" * 4, b"\x00" * 4
    set_user_audio(release, site, 0, clean[:4] + unknown + clean[8:40] + unknown + clean[HEADER_BYTES:])
    set_user_audio(release, site, 1, clean[:4] + zero + clean[8:40] + zero + clean[HEADER_BYTES:])
    set_system_audio(release, site, 0, too_long_header + clean[HEADER_BYTES:])


def extensible_header(release: GeneratedRelease, site: Site) -> None:
    set_user_audio(release, site, 0, encoded(user_samples(release, site, 0), format="WAVEX", subtype="PCM_16"))


def channels(release: GeneratedRelease, site: Site) -> None:
    samples = user_samples(release, site, 0)
    set_user_audio(release, site, 0, wav_bytes(np.stack([samples, samples // 2], axis=1)))


def sample_rate(release: GeneratedRelease, site: Site) -> None:
    set_user_audio(release, site, 0, wav_bytes(user_samples(release, site, 0).repeat(3), sample_rate=48_000))


def sample_format(release: GeneratedRelease, site: Site) -> None:
    samples = user_samples(release, site, 0)
    set_user_audio(release, site, 0, encoded(samples / np.float32(32768), format="WAV", subtype="FLOAT"))
    set_user_audio(release, site, 1, encoded(samples, format="WAV", subtype="PCM_24"))


def missing_audio(release: GeneratedRelease, site: Site) -> None:
    del release.audio[site.folder][site.user(0)["audio_name"]]


def empty_audio(release: GeneratedRelease, site: Site) -> None:
    """Leave one file without a byte, one without a sample."""
    set_user_audio(release, site, 0, b"")
    set_user_audio(release, site, 1, wav_bytes(np.zeros(0, dtype=np.int16)))


def silent(release: GeneratedRelease, site: Site) -> None:
    set_user_audio(release, site, 0, wav_bytes(np.zeros_like(user_samples(release, site, 0))))


def clipped(release: GeneratedRelease, site: Site) -> None:
    louder = user_samples(release, site, 0).astype(np.int32) * 60
    set_user_audio(release, site, 0, wav_bytes(np.clip(louder, -32768, 32767).astype(np.int16)))


def too_short(release: GeneratedRelease, site: Site) -> None:
    say(release, site, 0, "Yes.")
    set_user_audio(release, site, 0, wav_bytes(user_samples(release, site, 0)[: SAMPLE_RATE // 2]))


def too_long(release: GeneratedRelease, site: Site) -> None:
    """Make 121 s of low noise, with as many words as they take."""
    say(release, site, 0, " ".join(["I slept badly again"] * 80) + ".")
    noise = np.random.default_rng(0).integers(-900, 900, 121 * SAMPLE_RATE, dtype=np.int16)
    set_user_audio(release, site, 0, wav_bytes(noise))


def nested_audio(release: GeneratedRelease, site: Site) -> None:
    """Put one recording two folders down; its utterance still has the bare name."""
    files, name = release.audio[site.folder], site.user(0)["audio_name"]
    files[f"inner/again/{name}"] = files.pop(name)


def junk_member(release: GeneratedRelease, site: Site) -> str:
    files, name = release.audio[site.folder], site.user(0)["audio_name"]
    for junk_name in (f"._{name}", ".DS_Store", "Thumbs.db"):
        files[junk_name] = lambda: junk(163)
    return "audio"


def unsafe_member(release: GeneratedRelease, site: Site) -> str:
    """Add paths that lead outside, an absolute one, and a symbolic link named like a recording."""
    content = wav_bytes(user_samples(release, site, 0))
    release.extra_members.setdefault(site.folder, []).extend(
        (
            ExtraMember("audio", "../../evil.wav", content),
            ExtraMember("audio", "/tmp/healthdial_evil.wav", content),
            ExtraMember("audio", "linked_ENG_9005_0.wav", link_target="../../../etc/hostname"),
        )
    )
    return "audio"


def repeated_audio(release: GeneratedRelease, site: Site) -> None:
    name = site.user(0)["audio_name"]
    again = ExtraMember("audio", name, release.audio[site.folder][name]())
    release.extra_members.setdefault(site.folder, []).append(again)


def different_takes(release: GeneratedRelease, site: Site) -> None:
    take = ExtraMember("audio", site.user(0)["audio_name"], wav_bytes(user_samples(release, site, 1)[::-1]))
    release.extra_members.setdefault(site.folder, []).append(take)


def shared_recording(release: GeneratedRelease, site: Site) -> None:
    """Point the second turn to the recording of the first."""
    del release.audio[site.folder][site.user(1)["audio_name"]]
    site.user(1)["audio_name"] = site.user(0)["audio_name"]


def much_missing_audio(release: GeneratedRelease, site: Site) -> str:
    """Leave out as many recordings as count as many, as if an archive were half unpacked."""
    files = release.audio[site.folder]
    for name in [*files][:MUCH_MISSING]:
        del files[name]
    return "audio"


def final_prefix(release: GeneratedRelease, site: Site) -> None:
    """Leave the prefix on file and name of one turn, on the file alone of the next."""
    files, (first, second) = release.audio[site.folder], (site.user(turn)["audio_name"] for turn in (0, 1))
    rename_user_audio(release, site, 0, f"final_{first}")
    files[f"final_{second}"] = files.pop(second)


def several_system_files(release: GeneratedRelease, site: Site) -> None:
    files, name = release.system_audio[site.folder], system_file_name(site.task_id, 1)
    content = files[name]()
    files[f"another-voice_{site.task_id}_1.wav"] = lambda: content + bytes(2)


def orphan_audio(release: GeneratedRelease, site: Site) -> str:
    """Add a user and a system recording of a dialogue that is not listed."""
    account = site.user(0)["audio_name"].split("_")[0]
    content = wav_bytes(user_samples(release, site, 0))
    release.audio[site.folder][f"{account}_ENG_9006_0.wav"] = lambda: content
    release.system_audio[site.folder][system_file_name("ENG_9006", 0)] = lambda: content
    return "ENG_9006"


def no_audio_files(release: GeneratedRelease, site: Site) -> str:
    release.system_audio[site.folder].clear()
    return "system_audio"


def metadata_chunk(release: GeneratedRelease, site: Site) -> None:
    """Write an e-mail address and a device's name into the tags of a recording."""
    import soundfile

    stream = io.BytesIO()
    with soundfile.SoundFile(stream, "w", SAMPLE_RATE, 1, "PCM_16", format="WAV") as file:
        file.artist, file.comment = TAG_EMAIL, TAG_DEVICE
        file.write(user_samples(release, site, 0))
    set_user_audio(release, site, 0, stream.getvalue())
    release.extra_personal |= {TAG_EMAIL, TAG_DEVICE}


AUDIO_TRAPS = (
    before(other_container),
    before(undecodable),
    before(streamed_header),
    before(extensible_header),
    before(channels),
    before(sample_rate),
    before(sample_format),
    before(missing_audio),
    before(empty_audio),
    before(silent),
    before(clipped),
    before(too_short),
    before(too_long),
    before(nested_audio),
    before(junk_member, own_dialogue=False),
    before(unsafe_member, own_dialogue=False, packing="tar"),
    before(repeated_audio),
    before(different_takes),
    before(shared_recording, also=("audio_index",)),
    before(final_prefix),
    before(several_system_files),
    before(orphan_audio, own_dialogue=False),
    before(no_audio_files, folder="spanish", own_dialogue=False, also=("missing_audio",)),
    before(much_missing_audio, own_dialogue=False, dialogues=MUCH_MISSING, also=("missing_audio",)),
)
METADATA_CHUNK: Trap = before(metadata_chunk)
"""Harmless to the importer, but its output must not hold the tags."""
