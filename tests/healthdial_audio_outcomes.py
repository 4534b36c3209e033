"""What a build must have done about each trap in the recordings: one check a kind."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import soundfile

from benchmarks.healthdial_signal import SAMPLE_RATE
from tests.healthdial_audio_traps import TAG_DEVICE, TAG_EMAIL
from tests.healthdial_built import decoded
from tests.healthdial_outcome import Outcome, has_no_trace_of, is_whole


def _converted(*positions: int) -> Callable[[Outcome], bool]:
    """Return the check that these clips, user turns first, are converted to 16 kHz mono and the others untouched."""

    def check(outcome: Outcome) -> bool:
        rows = [*outcome.user, *outcome.system]
        lengths = [abs(len(decoded(row)) - SAMPLE_RATE * row["duration_s"]) < 1 for row in rows]
        expected = ["converted" if position in positions else "ok" for position in range(5)]
        return outcome.statuses == expected and all(lengths)

    return check


def _sample_format(outcome: Outcome) -> bool:
    """Return whether float and 24-bit samples give back the 16-bit ones that they were made of."""
    files = outcome.release.audio["english"]
    for turn, row in enumerate(outcome.user):
        name = next(name for name in files if name.endswith(f"_{outcome.planted.record}_{turn}.wav"))
        samples, _ = soundfile.read(io.BytesIO(files[name]()), dtype="float64")
        if not np.array_equal(decoded(row), np.rint(samples * 32768)):
            return False
    return _converted(0, 1)(outcome)


def _null(status: str, *positions: int) -> Callable[[Outcome], bool]:
    """Return the check that these clips are null with a status, and the others there."""

    def check(outcome: Outcome) -> bool:
        rows = [*outcome.user, *outcome.system]
        nulls = [at for at, row in enumerate(rows) if row["audio"] is row["duration_s"] is row["audio_sha256"] is None]
        return nulls == [*positions] == [at for at, one in enumerate(outcome.statuses) if one == status]

    return check


def _suspect(position: int = 0) -> Callable[[Outcome], bool]:
    """Return the check that one clip is suspect and kept with the release's samples."""

    def check(outcome: Outcome) -> bool:
        row = [*outcome.user, *outcome.system][position]
        expected = ["suspect" if at == position else "ok" for at in range(5)]
        return outcome.statuses == expected and outcome.samples_are_the_releases(row)

    return check


def _first_of_two(outcome: Outcome) -> bool:
    found = next(one for one in outcome.built.dataset.findings if one.kind.name == "different_takes")
    kept = outcome.release.audio["english"]
    name = next(name for name in kept if name.endswith(f"_{outcome.planted.record}_0.wav"))
    return hashlib.sha256(kept[name]()).hexdigest()[:16] == found.detail.split()[1].rstrip(",")


def _shared_recording(outcome: Outcome) -> bool:
    first, second = outcome.user
    same = np.array_equal(decoded(first), decoded(second)) and outcome.samples_are_the_releases(first)
    return same and outcome.statuses == ["ok", "suspect", "ok", "ok", "ok"]


def _no_audio_files(outcome: Outcome) -> bool:
    rows = outcome.built.rows("system_turns_spa")
    return len(rows) > 50 and {(row["audio"] is None, row["audio_status"]) for row in rows} == {(True, "missing")}


def _tags_are_gone(outcome: Outcome) -> bool:
    content = outcome.user[0]["audio"]["bytes"]
    return is_whole(outcome) and TAG_EMAIL.encode() not in content and TAG_DEVICE.encode() not in content


def _unsafe_member(outcome: Outcome) -> bool:
    # The members' own names: other tests leave archives called evil beside this one's folder.
    written = [*outcome.built.folder.parents[2].rglob("*evil.wav"), *Path("/tmp").glob("healthdial_evil.wav")]
    return has_no_trace_of(outcome, 9005) and not written


AUDIO_OUTCOMES: dict[str, Callable[[Outcome], bool]] = {
    "audio_name": _null("missing", 0, 1),
    "other_container": _converted(0, 1, 2),
    "undecodable": _null("undecodable", 0, 1, 2),
    "streamed_header": _converted(0, 1, 2),
    "extensible_header": is_whole,
    "channels": _converted(0),
    "sample_rate": _converted(0),
    "sample_format": _sample_format,
    "missing_audio": _null("missing", 0),
    "empty_audio": _null("missing", 0, 1),
    "silent": _suspect(),
    "clipped": _suspect(),
    "too_short": _suspect(),
    "too_long": _suspect(),
    "nested_audio": is_whole,
    "junk_member": lambda o: len(o.built.rows("user_turns_eng")) == 2 * len(o.built.rows("dialogues_eng")),
    "unsafe_member": _unsafe_member,
    "repeated_audio": is_whole,
    "different_takes": lambda o: _suspect()(o) and _first_of_two(o),
    "shared_recording": _shared_recording,
    "final_prefix": lambda o: is_whole(o) and len({row["speaker_id"] for row in o.user}) == 1,
    "several_system_files": lambda o: o.statuses == ["ok", "ok", "ok", "suspect", "ok"],
    "orphan_audio": lambda outcome: has_no_trace_of(outcome, 9006),
    "no_audio_files": _no_audio_files,
    "metadata_chunk": _tags_are_gone,
}
"""Kind -> whether the build did what the kind's policy says."""
