"""The errors that the commands print as a line instead of a traceback: those of both data sets and our own."""

from hub.errors import BenchError, ReleaseError, UnreachableError

__all__ = ["BenchError", "ReleaseError", "ResultsError", "UnreachableError"]


class ResultsError(BenchError):
    """Evaluation results are missing, incomplete or do not belong together."""
