"""Numbers from bytes: the compiled parsers of the text formats, strict and correctly rounded."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numba import njit
from numpy.typing import NDArray

Text = NDArray[np.int8]  # signed, so that compiled arithmetic with bytes stays in int64

# Whole numbers up to 2^53 times or divided by these are correctly rounded: all are exact.
POWERS = np.array([10.0**power for power in range(23)])
LARGEST_EXACT = 1 << 53
MOST_DIGITS = 18

NEWLINE, SPACE, COLON, COMMA, DOT, PLUS, MINUS = 10, 32, 58, 44, 46, 43, 45
ZERO, NINE = 48, 57


class Fault(IntEnum):
    """What stopped a parser."""

    NONE = 0
    LABEL = 1
    NUMBER = 2
    RANGE = 3
    LIST = 4


@dataclass(frozen=True, slots=True, eq=False)
class Parsed:
    """Entries of a band of lines, or the first fault in it.

    Attributes
    ----------
    indptr, indices, data
        As in `SparseRows`; data are float64.
    fault
        What is wrong, or `Fault.NONE`.
    line, token
        Where it is wrong: the line counted from 0 within the band, and the word.
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    data: NDArray[np.float64]
    fault: Fault = Fault.NONE
    line: int = 0
    token: str = ""


def parse_pairs(text: bytes, lines: int, labels: int) -> Parsed:
    """Parse lines of ``label:score`` with white space between; blank lines are documents."""
    content = np.frombuffer(text, np.int8)
    most = int(np.count_nonzero(content == COLON))
    indptr = _limits(content, lines)
    indices = np.empty(most, np.int32)
    data = np.empty(most, np.float64)
    slow = np.empty((most, 2), np.int64)
    entries, slow_entries, fault, place = _pairs(content, labels, indptr, indices, data, slow)
    if fault != Fault.NONE:
        return _faulty(text, Fault(fault), place)
    # What the compiled parser cannot round correctly, Python can; the grammar is checked already.
    for entry, start in slow[:slow_entries].tolist():
        data[entry] = float(text[start : _word_end(text, start)])
    return Parsed(indptr[: lines + 1], indices[:entries], data[:entries])


def parse_label_lists(text: bytes, lines: int, labels: int) -> Parsed:
    """Parse lines of ``label,label feature:value …``; features are skipped.

    A line that starts with white space, or with a feature, has no labels.
    """
    content = np.frombuffer(text, np.int8)
    indptr = _limits(content, lines)
    most = int(np.count_nonzero(content == COMMA)) + len(indptr)
    indices = np.empty(most, np.int32)
    entries, fault, place = _lists(content, labels, indptr, indices)
    if fault != Fault.NONE:
        return _faulty(text, Fault(fault), place)
    return Parsed(indptr[: lines + 1], indices[:entries], np.ones(entries))


def _limits(content: Text, lines: int) -> NDArray[np.int64]:
    # Room for every line there is, whatever was announced: compiled code does not check.
    return np.zeros(max(lines, int(np.count_nonzero(content == NEWLINE)) + 1) + 1, np.int64)


def _faulty(text: bytes, fault: Fault, place: int) -> Parsed:
    start = place
    while start > 0 and not text[start - 1 : start].isspace():
        start -= 1
    word = text[start : min(_word_end(text, start), start + 40)].decode("utf-8", "replace")
    nothing = np.zeros(0)
    line = text.count(b"\n", 0, place)
    return Parsed(
        nothing.astype(np.int64), nothing.astype(np.int32), nothing, fault, line, word.rstrip("\0")
    )


def _word_end(text: bytes, start: int) -> int:
    end = start
    while end < len(text) and not text[end : end + 1].isspace():
        end += 1
    return end


@njit(cache=True, nogil=True, inline="always")
def _is_blank(byte: int) -> bool:
    return byte == SPACE or 9 <= byte <= 13


@njit(cache=True, nogil=True)
def _whole_number(text: Text, place: int, limit: int) -> tuple[int, int]:
    """Read digits; the number stops growing above `limit`, so that it cannot overflow."""
    number = 0
    while place < len(text) and ZERO <= text[place] <= NINE:
        if number <= limit:
            number = number * 10 + (int(text[place]) - ZERO)
        place += 1
    return number, place


@njit(cache=True, nogil=True)
def _word(text: Text, place: int, word: Text) -> bool:
    """Tell whether the letters of `word`, any case, stand at `place`."""
    if place + len(word) > len(text):
        return False
    for index in range(len(word)):  # noqa: SIM110  # all() of a generator is not compiled
        if (text[place + index] | 32) != word[index]:
            return False
    return True


INF = np.frombuffer(b"inf", np.int8)
INFINITY = np.frombuffer(b"infinity", np.int8)
NAN = np.frombuffer(b"nan", np.int8)


@njit(cache=True, nogil=True)
def _special(text: Text, place: int, sign: float) -> tuple[float, int, int]:
    if _word(text, place, INFINITY):
        return sign * np.inf, place + 8, 0
    if _word(text, place, INF):
        return sign * np.inf, place + 3, 0
    if _word(text, place, NAN):
        return np.nan, place + 3, 0
    return 0.0, place, 2


@njit(cache=True, nogil=True)
def _digits(text: Text, place: int, mantissa: int, digits: int) -> tuple[int, int, int, int, int]:
    """Read digits into the mantissa as long as they fit; give how many were read and left out."""
    read = 0
    left_out = 0
    while place < len(text) and ZERO <= text[place] <= NINE:
        if digits < MOST_DIGITS:
            mantissa = mantissa * 10 + (int(text[place]) - ZERO)
            if mantissa > 0:
                digits += 1
        else:
            left_out += 1
        read += 1
        place += 1
    return mantissa, digits, read, left_out, place


@njit(cache=True, nogil=True)
def _number(text: Text, place: int) -> tuple[float, int, int]:
    """Read a decimal number: its value, where it ends, and 0 exact, 1 inexact, 2 no number."""
    sign = 1.0
    if place < len(text) and (text[place] == PLUS or text[place] == MINUS):
        sign = -1.0 if text[place] == MINUS else 1.0
        place += 1
    mantissa, digits, whole, lost, place = _digits(text, place, 0, 0)
    fraction = 0
    lost_fraction = 0
    if place < len(text) and text[place] == DOT:
        mantissa, digits, fraction, lost_fraction, place = _digits(
            text, place + 1, mantissa, digits
        )
    if whole + fraction == 0:
        return _special(text, place, sign)
    power = lost + lost_fraction - fraction
    if place < len(text) and (text[place] | 32) == 101:
        negative = place + 1 < len(text) and text[place + 1] == MINUS
        start = (
            place
            + 1
            + (place + 1 < len(text) and (text[place + 1] == MINUS or text[place + 1] == PLUS))
        )
        exponent, place = _whole_number(text, start, 100_000)
        if place == start:
            return 0.0, place, 2
        power += -exponent if negative else exponent
    if mantissa == 0 and lost + lost_fraction == 0:
        return sign * 0.0, place, 0
    if mantissa > LARGEST_EXACT or lost + lost_fraction > 0 or power > 22 or power < -22:
        return 0.0, place, 1
    if power < 0:
        return sign * (mantissa / POWERS[-power]), place, 0
    return sign * (mantissa * POWERS[power]), place, 0


@njit(cache=True, nogil=True)
def _pairs(
    text: Text,
    labels: int,
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    data: NDArray[np.float64],
    slow: NDArray[np.int64],
) -> tuple[int, int, int, int]:
    """Fill the entries of all lines; give their number, the inexact ones, and a fault's place."""
    line = 0
    entries = 0
    slow_entries = 0
    place = 0
    while place < len(text):
        if text[place] == NEWLINE:
            line += 1
            indptr[line] = entries
            place += 1
            continue
        if _is_blank(text[place]):
            place += 1
            continue
        start = place
        label, place = _whole_number(text, place, labels)
        if place == start or place >= len(text) or text[place] != COLON:
            return entries, slow_entries, 1, start
        if label >= labels:
            return entries, slow_entries, 3, start
        value, end, state = _number(text, place + 1)
        if state == 2 or (end < len(text) and not _is_blank(text[end])):
            return entries, slow_entries, 2, start
        if state == 1:
            slow[slow_entries, 0] = entries
            slow[slow_entries, 1] = place + 1
            slow_entries += 1
        indices[entries] = label
        data[entries] = value
        entries += 1
        place = end
    if line + 1 < len(indptr):
        indptr[line + 1] = entries
    return entries, slow_entries, 0, 0


@njit(cache=True, nogil=True)
def _has_colon(text: Text, place: int) -> bool:
    while place < len(text) and not _is_blank(text[place]):
        if text[place] == COLON:
            return True
        place += 1
    return False


@njit(cache=True, nogil=True)
def _label_list(
    text: Text, place: int, labels: int, indices: NDArray[np.int32], entries: int
) -> tuple[int, int, int]:
    """Read ``3,14`` up to white space; give place, entries and a fault."""
    while True:
        start = place
        label, place = _whole_number(text, place, labels)
        if place == start:
            return start, entries, 4
        if label >= labels:
            return start, entries, 3
        indices[entries] = label
        entries += 1
        if place >= len(text) or _is_blank(text[place]):
            return place, entries, 0
        if text[place] != COMMA:
            return start, entries, 4
        place += 1


@njit(cache=True, nogil=True)
def _features(text: Text, place: int) -> tuple[int, bool]:
    """Skip features up to the line end; give the place, and the start of a word without ':'."""
    while place < len(text) and text[place] != NEWLINE:
        if _is_blank(text[place]):
            place += 1
            continue
        if not _has_colon(text, place):
            return place, True
        while place < len(text) and not _is_blank(text[place]):
            place += 1
    return place, False


@njit(cache=True, nogil=True)
def _lists(
    text: Text, labels: int, indptr: NDArray[np.int64], indices: NDArray[np.int32]
) -> tuple[int, int, int]:
    line = 0
    entries = 0
    place = 0
    while place < len(text):
        if not _is_blank(text[place]) and not _has_colon(text, place):
            place, entries, fault = _label_list(text, place, labels, indices, entries)
            if fault:
                return entries, fault, place
        place, wrong = _features(text, place)
        if wrong:
            return entries, 4, place
        place += 1
        line += 1
        indptr[line] = entries
    return entries, 0, 0
