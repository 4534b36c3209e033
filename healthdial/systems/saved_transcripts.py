"""Transcripts from the details of a finished run of speech recognition."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from healthdial.data import BuiltData
from healthdial.schema import data_location
from hub.errors import BenchError

TASK = "healthdial_asr"


@dataclass(frozen=True)
class SavedTranscripts:
    """The answers of a run of ``healthdial_asr``.

    Attributes:
        folder: Folder with ``details_healthdial_asr:<language>|0_<time>.parquet``, in itself or below.
    """

    folder: Path

    def of_language(self, language: str) -> dict[str, str]:
        """Return utterance id -> transcript.

        Raises:
            BenchError: There are no details of the language, those of several runs, or those of another data set.
        """
        import pyarrow.parquet as pq

        rows = pq.read_table(self._file(language), columns=["doc", "model_response"]).to_pylist()
        origins = {row["doc"]["specific"]["origin"] for row in rows}
        origin = BuiltData(data_location()).origin
        if origins - {origin}:
            raise BenchError(
                f"{self.folder}: transcripts of {', '.join(sorted(origins))}, but the data set is {origin}; "
                f"run {TASK} on this one"
            )
        return {row["doc"]["specific"]["id"]: (row["model_response"]["text"] or [""])[0] for row in rows}

    def _file(self, language: str) -> Path:
        files = sorted(self.folder.rglob(f"details_{TASK}:{language}|*.parquet"))
        if len(files) != 1:
            found = f"{len(files)} runs" if files else "no details"
            raise BenchError(
                f"{self.folder}: {found} of {TASK}:{language}; give the folder of one run, "
                "OUTPUT_DIR/details/MODEL/TIME, that had this task"
            )
        return files[0]
