"""The audit's inventory of keys: documented ones and repeated plain ones are named, any other only counted."""

from __future__ import annotations

from pathlib import Path

from benchmarks.healthdial_files import write_release
from benchmarks.healthdial_generator import generate_release
from healthdial.audio_pass import AudioPass
from healthdial.audit import audit
from healthdial.audit_text import audit_text
from healthdial.release import ReadOptions, read_release


def test_an_undocumented_key_that_stands_once_is_never_named(tmp_path: Path) -> None:
    release = generate_release(dialogues=2, folders=("english",), seconds=(1, 1.1), user_turns=(2, 2))
    first, second = release.dialogues["english"]
    first["harbourquill"] = 1
    for dialogue in (first, second):
        dialogue["tool_version"] = 2
        dialogue["harbour.quill@mail.example.org"] = 3
    first["utterance"][1]["quillharbour"] = 4
    first["utterance"][2] |= {"in_knowledge": True, "harbourquill": 5}
    write_release(release, tmp_path)
    outcome = audit(read_release(tmp_path, ReadOptions(audio=False)), AudioPass("wav", True, 1), 1)
    told = {check.what: check.found for check in outcome.checks if check.what.startswith("keys of")}
    assert "task_id 2, tool_version 2, utterance 2, other 3" in told["keys of dialogue records"]
    assert told["keys of user records"].endswith(", other 1")
    assert "in_knowledge 1" in told["keys of assistant records"]
    assert told["keys of assistant records"].endswith(", other 1")
    everything = audit_text(outcome) + str(outcome.as_json())
    assert "tool_version" in everything
    assert "quill" not in everything
