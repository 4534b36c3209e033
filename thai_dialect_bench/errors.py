"""The one kind of error that the commands print as a line instead of a traceback."""


class BenchError(Exception):
    """A fault of the input or the machine, not of this program: its text says what, where and what to do."""


class ReleaseError(BenchError):
    """The release is missing, incomplete, modified or unsafe to read."""


class ResultsError(BenchError):
    """Evaluation results are missing, incomplete or do not belong together."""
