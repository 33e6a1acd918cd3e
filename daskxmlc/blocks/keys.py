"""Scores as whole numbers of the same order, so that one set of kernels serves every dtype.

A float's bits, read as a signed integer, order positive floats; negative ones are mirrored, which
gives both zeros the key 0. Infinities stay at the ends and every NaN lies beyond them. No score is
ever widened, narrowed or rounded: a key stands for exactly one real number.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numba import types
from numba.extending import overload
from numpy.typing import NDArray

from daskxmlc.errors import DataError

#: A whole number of whatever width the compiled code has for it.
Key: TypeAlias = Any


@dataclass(frozen=True, slots=True)
class KeySpace:
    """The keys of one dtype of scores.

    Attributes
    ----------
    dtype
        The scores' dtype.
    lowest, highest
        Keys of -inf ("not retrieved") and +inf; what lies outside is NaN.
    """

    dtype: np.dtype[np.generic]
    lowest: int
    highest: int


# The highest integer score: one key above it must be left to say "nothing".
_LAST = 2**63 - 2
_MAGNITUDE = {2: 0x7C00, 4: 0x7F800000, 8: 0x7FF0000000000000}
_SIGNED: dict[int, type[np.signedinteger]] = {2: np.int16, 4: np.int32, 8: np.int64}


def key_space(dtype: np.dtype[np.generic]) -> KeySpace:
    """Describe the keys of a dtype.

    Raises
    ------
    DataError
        Scores of that dtype have no order: complex numbers, text, objects.
    """
    if dtype.kind == "f" and dtype.itemsize in _MAGNITUDE:
        end = _MAGNITUDE[dtype.itemsize]
        return KeySpace(dtype, -end, end)
    if dtype.kind in "iub":
        return KeySpace(dtype, -_LAST - 1, _LAST)
    raise DataError(
        f"scores: cannot order values of type {dtype}; float16, float32, float64 or integers fit"
    )


def bits_of(scores: NDArray[np.generic]) -> NDArray[np.signedinteger]:
    """View scores as the signed integers that the kernels take; they never write to them.

    Floats give their own bits. An integer gives the bits whose key it is.

    Raises
    ------
    DataError
        An integer score has no key.
    """
    if scores.dtype.kind == "f":
        bits: NDArray[np.signedinteger] = scores.view(_SIGNED[scores.dtype.itemsize])
        return bits if bits.flags.writeable else np.asarray(_Unguarded(bits))
    if scores.size and not -_LAST <= int(scores.min()) <= int(scores.max()) <= _LAST:
        raise DataError(
            f"scores: an integer score lies outside {-_LAST} to {_LAST}; convert them to float64"
        )
    whole = scores.astype(np.int64)
    return np.where(whole < 0, np.int64(-(2**63)) | -whole, whole)


class _Unguarded:
    """A read-only array without its guard: kernels are compiled once, for arrays of one type."""

    def __init__(self, array: NDArray[np.generic]) -> None:
        self._array = array
        self.__array_interface__ = {
            **array.__array_interface__,
            "data": (array.__array_interface__["data"][0], False),
        }


def threshold_key(threshold: float, dtype: np.dtype[np.generic], *, strict: bool = False) -> int:
    """Find the smallest key of a score that is predicted at that threshold.

    The comparison is that of real numbers: the threshold is not rounded to the scores' dtype.

    Parameters
    ----------
    threshold
        A real number or an infinity.
    dtype
        The scores' dtype.
    strict
        Whether a score equal to the threshold is not predicted.

    Returns
    -------
    int
        May lie one above the highest key: nothing is predicted. Never at or below that of -inf:
        what was not retrieved is never predicted.
    """
    space = key_space(dtype)
    if space.highest == _LAST:
        key = _integer_key(threshold, strict=strict)
    else:
        key = _float_key(threshold, dtype, strict=strict)
    return max(key, space.lowest + 1)


def _integer_key(threshold: float, *, strict: bool) -> int:
    if math.isinf(threshold):
        return _LAST + 1 if threshold > 0 else -_LAST
    exact = Fraction(threshold)
    key = math.floor(exact) + 1 if strict else math.ceil(exact)
    return min(max(key, -_LAST), _LAST + 1)


def _float_key(threshold: float, dtype: np.dtype[np.generic], *, strict: bool) -> int:
    with np.errstate(over="ignore"):
        near: NDArray[Any] = np.array([threshold]).astype(dtype)
    bits = int(near.view(_SIGNED[dtype.itemsize])[0])
    magnitude = bits & ((1 << (8 * dtype.itemsize - 1)) - 1)
    key = magnitude if bits >= 0 else -magnitude
    value = float(near[0])
    return key + int(value < threshold or (strict and value == threshold))


def order_key(bits: Key) -> Key:
    """Map the bits of a score to its key; compiled, by the type of the bits."""
    raise TypeError(f"order_key: for use in compiled code, got {type(bits).__name__}")


@overload(order_key, inline="always")
def _order_key(bits):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202  # called by Numba
    if bits == types.int16:

        def half(bits):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
            sign = np.int16(bits >> np.int16(15))
            magnitude = np.int16(bits & np.int16(0x7FFF))
            return np.int16(np.int16(magnitude ^ sign) - sign)

        return half
    if bits == types.int32:

        def single(bits):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
            sign = np.int32(bits >> np.int32(31))
            magnitude = np.int32(bits & np.int32(0x7FFFFFFF))
            return np.int32(np.int32(magnitude ^ sign) - sign)

        return single

    def double(bits):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        sign = bits >> 63
        return ((bits & 0x7FFFFFFFFFFFFFFF) ^ sign) - sign

    return double


def narrow(value: Key, like: NDArray[np.signedinteger]) -> Key:
    """Cast a number to the dtype of an array, so that loops run at full vector width; compiled."""
    raise TypeError(f"narrow: for use in compiled code, got {value!r} and {type(like).__name__}")


@overload(narrow, inline="always")
def _narrow(value, like):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202, ARG001
    width = like.dtype

    def cast(value, like):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202, ARG001
        return width(value)

    return cast
