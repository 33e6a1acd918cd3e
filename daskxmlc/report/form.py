"""What a form is: a way in which results are written as text."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import PurePath
from typing import ClassVar

from daskxmlc.discover import catalogue
from daskxmlc.errors import UsageError
from daskxmlc.report.result import Result


class Form(ABC):
    """A way in which results are written. One file a form; found by its folder."""

    name: ClassVar[str]
    summary: ClassVar[str]
    endings: ClassVar[tuple[str, ...]]
    carries_notes: ClassVar[bool] = True

    @abstractmethod
    def text(self, results: Sequence[Result]) -> str:
        """Write one result, or several side by side; the text ends with a line end."""


def forms() -> dict[str, Form]:
    """Give all forms by their names."""
    return catalogue("daskxmlc.report", Form)


def form_by_ending(path: str) -> Form:
    """Give the form that a file of that name is written in.

    Raises
    ------
    UsageError
        No form has that ending.
    """
    ending = PurePath(path).suffix.lower()
    for form in forms().values():
        if ending in form.endings:
            return form
    endings = ", ".join(ending for form in forms().values() for ending in form.endings)
    raise UsageError(
        f"--output: the ending of {path!r} names no form; it may be {endings}, "
        "or name the form with --output-format"
    )
