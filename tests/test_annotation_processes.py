"""Several processes write to one study and are killed: nothing acknowledged is lost, nothing is half there."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path

from tests.annotation_studies import a_store, agree
from tests.conftest import REPOSITORY

PLACES = 2000
WRITER = """
import sys
from pathlib import Path
from tests.annotation_studies import a_preference
from thai_dialect_bench.annotation.store import Store
store, code = Store(Path(sys.argv[1])), sys.argv[2]
for position in range(int(sys.argv[3]), int(sys.argv[4])):
    store.save(code, position, a_preference(reason=f"{code} {position}"))
    print(position, flush=True)
"""


def start_writer(file: Path, code: str, first: int, end: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(file), code, str(first), str(end)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=REPOSITORY)


def test_several_writers_at_once_lose_and_double_nothing(tmp_path: Path) -> None:
    store, _ = a_store(tmp_path, "preference", items=20, annotators=4)
    agree(store)
    # two writers for each annotator, on the same places for A01
    spans = [("A01", 0, 20), ("A01", 0, 20), ("A02", 0, 10), ("A02", 10, 20), ("A03", 0, 20), ("A04", 0, 20)]
    writers = [start_writer(store.file, *span) for span in spans]
    assert [writer.wait(timeout=120) for writer in writers] == [0] * len(writers)
    for writer in writers:
        assert writer.stdout is not None
        writer.stdout.close()
    said = [(task.assignment.annotator, task.assignment.position, task.verdict) for task in store.tasks()]
    assert len(said) == 80
    assert all(judgement and judgement.reason == f"{code} {position}" for code, position, judgement in said)


def test_killed_writers_leave_every_acknowledged_judgement_whole(tmp_path: Path) -> None:
    store, _ = a_store(tmp_path, "preference", items=PLACES, annotators=3)
    agree(store)
    done = dict.fromkeys(("A01", "A02", "A03"), -1)
    for _ in range(3):
        writers = {code: start_writer(store.file, code, done[code] + 1, PLACES) for code in done}
        for code, writer in writers.items():
            assert writer.stdout is not None
            # on a busy machine one may have come to its end before another began
            for line in islice(writer.stdout, 5):
                done[code] = int(line)
        for code, writer in writers.items():
            os.kill(writer.pid, signal.SIGKILL)
            rest, _ = writer.communicate()
            done[code] = max([done[code], *(int(line) for line in rest.split("\n")[:-1])])
        for code, last in done.items():
            # a judgement may be on the disk without its writer having said so, but never the other way round
            assert store.judged_positions(code) in (list(range(last + 1)), list(range(last + 2)))
    reasons = [task.verdict.reason for task in store.tasks() if task.verdict]
    assert len(reasons) == len(set(reasons)) > 40


def test_a_kill_while_a_study_is_made_leaves_a_whole_one_or_none(tmp_path: Path) -> None:
    make = (
        "import sys; from pathlib import Path; from tests.annotation_studies import a_store; "
        "print('started', flush=True); a_store(Path(sys.argv[1]), 'preference', items=300, annotators=9)"
    )
    for wait in (0.0, 0.01, 0.03, 0.06):
        folder = tmp_path / str(wait)
        folder.mkdir()
        maker = subprocess.Popen(
            [sys.executable, "-c", make, str(folder)], stdout=subprocess.PIPE, text=True, cwd=REPOSITORY
        )
        assert maker.stdout is not None
        maker.stdout.readline()
        time.sleep(wait)
        os.kill(maker.pid, signal.SIGKILL)
        maker.communicate()
        if (folder / "pilot.sqlite").exists():
            from thai_dialect_bench.annotation.store import Store

            assert len(Store(folder / "pilot.sqlite").tasks()) == 300 * 9
