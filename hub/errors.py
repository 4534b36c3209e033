"""The kinds of error that the commands of both data sets print as a line instead of a traceback."""


class BenchError(Exception):
    """A fault of the input or the machine, not of this program: its text says what, where and what to do.

    ``exit_code`` and ``format_message`` are those of click's errors, by which ``python -m tasks`` knows that an error
    of a custom model is the user's.
    """

    exit_code = 2

    def format_message(self) -> str:
        """Return the text."""
        return str(self)


class ReleaseError(BenchError):
    """The release is missing, incomplete, modified or unsafe to read."""


class UnreachableError(ReleaseError):
    """What is behind a URL cannot be fetched: the machine or the server is offline, or there is nothing there."""
