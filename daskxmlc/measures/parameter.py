"""What stands behind the ``@`` of a measure's name: how it is read, written and run through."""

import math
import re
from abc import ABC, abstractmethod
from typing import ClassVar

MOST = 10**6
"""Values that a range may stand for."""

LONGEST = 18
"""Digits of a whole number: more do not fit the counts."""

DECADE = 100
"""Steps of a range of real numbers from one power of ten to the next."""

ALPHA = "\N{GREEK SMALL LETTER ALPHA}"


class Parameter(ABC):
    """A kind of parameter.

    Attributes
    ----------
    wanted
        What it must be, for messages.
    example
        A value, for messages.
    """

    wanted: ClassVar[str]
    example: ClassVar[str]

    @abstractmethod
    def read(self, text: str) -> int | float | None:
        """Read a value; None if the text is none."""

    @abstractmethod
    def write(self, value: float) -> str:
        """Write a value in its shortest form, which reads back to the same."""

    @abstractmethod
    def between(self, first: float, last: float) -> list[int] | list[float]:
        """Give the values that ``first..last`` stands for, both of them included, increasing."""


class Whole(Parameter):
    """A positive integer. A range holds every one of it."""

    wanted: ClassVar[str] = "a positive integer"
    example: ClassVar[str] = "3"

    def read(self, text: str) -> int | None:
        """Read digits."""
        digits = text.strip().lstrip("0")
        if digits.isascii() and digits.isdigit() and len(digits) <= LONGEST:
            return int(digits)
        return None

    def write(self, value: float) -> str:
        """Write digits."""
        return str(int(value))

    def between(self, first: float, last: float) -> list[int]:
        """Give every integer, as far as there are at most a million."""
        return list(range(int(first), min(int(last), int(first) + MOST) + 1))


class FromOne(Parameter):
    """A real number from 1 up, or infinity.

    A range holds the powers of ten of 0, 1/100, 2/100, ... to three digits: 1, 1.02, 1.05, 1.07,
    1.1, ..., 9.77, 10, 10.2, ...
    """

    wanted: ClassVar[str] = "a number from 1 up or inf"
    example: ClassVar[str] = "1.5"

    def read(self, text: str) -> float | None:
        """Read a decimal or ``inf``."""
        text = text.strip().casefold()
        if text == "inf":
            return math.inf
        if not re.fullmatch(r"[0-9]+(\.[0-9]*)?(e\+?[0-9]+)?", text):
            return None
        value = float(text)
        return value if 1 <= value < math.inf else None

    def write(self, value: float) -> str:
        """Write the shortest decimal."""
        return repr(float(value)).removesuffix(".0")

    def between(self, first: float, last: float) -> list[float]:
        """Give the values of the grid, and both ends."""
        if math.isinf(last):
            return [first, last]
        low, high = (math.floor(DECADE * math.log10(end)) for end in (first, last))
        grid = (float(f"{10 ** (step / DECADE):.3g}") for step in range(low, high + 1))
        return sorted({first, last, *(value for value in grid if first < value < last)})


KINDS: dict[str, Parameter] = {"k": Whole(), "j": Whole(), "alpha": FromOne()}
"""By the letter that stands for it in a measure's name."""


def kind_of(letter: str) -> Parameter:
    """Give the kind of parameter that the letter of a measure's name stands for."""
    return KINDS[letter]


def stands_for_all(text: str, letter: str) -> bool:
    """Tell whether the text behind ``@`` is the letter itself, so not a value."""
    return text.strip() in {letter, ALPHA if letter == "alpha" else letter}
