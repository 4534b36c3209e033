"""The place of a trap in a built HealthDial data set, and checks that several traps share."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np

from benchmarks.healthdial_generator import GeneratedRelease
from tests.healthdial_built import Built, Row, TrappedBuild, decoded, released
from tests.healthdial_traps import Planted


@dataclass(frozen=True)
class Outcome:
    """What was built at the place of a trap."""

    build: TrappedBuild
    planted: Planted

    @property
    def built(self) -> Built:
        return self.build.built

    @property
    def release(self) -> GeneratedRelease:
        return self.build.trapped.release

    @property
    def number(self) -> int:
        return int(self.planted.record.split("_")[1])

    def rows(self, config: str) -> list[Row]:
        return self.built.of_dialogue(f"{config}_{self.planted.language}", self.number)

    @property
    def user(self) -> list[Row]:
        return self.rows("user_turns")

    @property
    def system(self) -> list[Row]:
        return self.rows("system_turns")

    @property
    def snippets(self) -> list[Row]:
        return self.built.rows(f"snippets_{self.planted.language}")

    @property
    def statuses(self) -> list[str]:
        """Status of the two user turns; those of the system's follow."""
        return [row["audio_status"] for row in (*self.user, *self.system)]

    @property
    def grounded(self) -> Row:
        """The first user turn whose answer has gold."""
        return next(row for row in self.user if row["gold_snippet_ids"])

    @property
    def speaker(self) -> Row:
        """The published speaker of the first user turn."""
        return next(row for row in self.built.rows("speakers") if row["speaker_id"] == self.user[0]["speaker_id"])

    def is_item(self, row: Row) -> bool:
        """Whether a user turn, of a split that has items, is one of retrieval and filtering."""
        splits = json.loads((self.built.folder / "splits.json").read_text(encoding="utf-8"))
        assert row["dialogue_id"] not in splits[self.planted.language]["train"]
        ids = {row["query_id"] for row in (*self.rows("retrieval"), *self.rows("filtering"))}
        return row["utterance_id"] in ids

    def samples_are_the_releases(self, row: Row) -> bool:
        return np.array_equal(decoded(row), released(self.release, row))


def is_whole(outcome: Outcome) -> bool:
    """Return whether a dialogue has all its turns with conforming audio."""
    return outcome.statuses == ["ok"] * 5


def has_no_trace_of(outcome: Outcome, number: int) -> bool:
    configs = [f"{kind}_eng" for kind in ("user_turns", "system_turns", "dialogues", "turn_classification")]
    return not [row for config in configs for row in outcome.built.of_dialogue(config, number)]
