"""The recordings of dialogues as waveforms, each query being the start of one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from healthdial.audio import SAMPLE_RATE
from healthdial.data import BuiltData, decoded
from healthdial.schema import data_location
from healthdial.systems.histories import SPLIT, history

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DIALOGUES_READ = 10
"""Dialogues whose recordings, still compressed, are in memory at once: about 40 MB."""


@dataclass(frozen=True)
class SpokenDialogue:
    """The recordings of a dialogue end to end, up to the last query, without gaps.

    Attributes:
        samples: Shape (n,), float32, mono.
        ends: Query id -> where it ends in ``samples``; it starts at 0.
        missing: Query id -> how many of its utterances have no recording; they are left out.
    """

    samples: NDArray[np.float32]
    ends: Mapping[str, int]
    missing: Mapping[str, int]


def spoken_dialogues(
    language: str, queries: Mapping[str, Sequence[str]], sample_rate: int
) -> Iterator[SpokenDialogue]:
    """Yield the dialogues of queries, one in memory at a time.

    A minute of speech takes 11.5 MB at 48 kHz.

    Args:
        language: ISO 639-3 code.
        queries: Dialogue id -> ids of its queries.
        sample_rate: Hz of the waveforms; every recording is resampled by itself with soxr (HQ).
    """
    ids = sorted(queries)
    for start in range(0, len(ids), DIALOGUES_READ):
        some = {dialogue_id: queries[dialogue_id] for dialogue_id in ids[start : start + DIALOGUES_READ]}
        recordings = _recordings(language, some)
        for dialogue_id, query_ids in some.items():
            yield _spoken(language, dialogue_id, query_ids, recordings, sample_rate)


def _recordings(language: str, queries: Mapping[str, Sequence[str]]) -> dict[str, bytes]:
    """Return utterance id -> recording for all utterances of these dialogues."""
    wanted = {
        utterance.utterance_id
        for dialogue_id, query_ids in queries.items()
        for query_id in query_ids
        for utterance in history(language, dialogue_id, query_id)
    }
    data = BuiltData(data_location())
    configs = (f"user_turns_{language}", f"system_turns_{language}")
    return {one: content for config in configs for one, content in data.recordings(config, SPLIT, wanted)}


def _spoken(
    language: str, dialogue_id: str, query_ids: Sequence[str], recordings: Mapping[str, bytes], sample_rate: int
) -> SpokenDialogue:
    import numpy as np
    import soxr

    longest = max((history(language, dialogue_id, query_id) for query_id in query_ids), key=len)
    pieces: list[NDArray[np.float32]] = [np.zeros(0, dtype=np.float32)]
    ends: dict[str, int] = {}
    missing: dict[str, int] = {}
    end = lost = 0
    for utterance in longest:
        content = recordings.get(utterance.utterance_id)
        if content is None:
            lost += 1
        else:
            pieces.append(soxr.resample(decoded(content), SAMPLE_RATE, sample_rate))
            end += len(pieces[-1])
        ends[utterance.utterance_id], missing[utterance.utterance_id] = end, lost
    return SpokenDialogue(
        np.concatenate(pieces),
        {query_id: ends[query_id] for query_id in query_ids},
        {query_id: missing[query_id] for query_id in query_ids},
    )
