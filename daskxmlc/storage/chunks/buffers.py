"""Memory that is used again: mapping fresh pages costs more than decoding into them.

A matrix keeps one place for each array and thread, which its next read overwrites. When the
matrix and all that was read from it are gone, the memory goes back to a pool, where the next
matrix finds it: tasks open their matrices anew, but on warm memory.
"""

from collections import deque
from threading import local
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

# Smaller ones come from memory that the allocator keeps anyway; larger ones are not hoarded.
POOLED_FROM = 1 << 20
POOLED_TO = 256 << 20

_free: deque[NDArray[np.uint8]] = deque()


class _Lease:
    """Memory on loan; NumPy keeps the lease alive as long as any array lies on it."""

    def __init__(self, memory: NDArray[np.uint8]) -> None:
        self.memory = memory
        self.__array_interface__: dict[str, Any] = memory.__array_interface__

    def __del__(self) -> None:
        if POOLED_FROM <= self.memory.nbytes <= POOLED_TO:
            _free.append(self.memory)


class Buffers:
    """The places that one matrix reads to, a set for each thread; pickles as an empty one."""

    def __init__(self) -> None:
        self._local = local()

    def __reduce__(self) -> tuple[type["Buffers"], tuple[()]]:
        return Buffers, ()

    def take(self, place: str, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        """Give an array whose memory is what this thread's last call for `place` gave.

        Parameters
        ----------
        place
            Names what must not overwrite each other.
        shape, dtype
            Of the array; its values are left from earlier uses.
        """
        size = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
        leases: dict[str, _Lease] = self._local.__dict__
        lease = leases.get(place)
        if lease is None or lease.memory.nbytes < size:
            lease = None
            leases.pop(place, None)
            lease = leases[place] = _Lease(_memory(size))
        return np.asarray(lease)[:size].view(dtype).reshape(shape)


def _memory(size: int) -> NDArray[np.uint8]:
    """Find free memory of about that size, or make it and let as much of the rest go."""
    unfit = deque[NDArray[np.uint8]]()
    found: NDArray[np.uint8] | None = None
    while found is None and size >= POOLED_FROM:
        try:
            memory = _free.popleft()
        except IndexError:
            break
        if size <= memory.nbytes <= 2 * size:
            found = memory
        else:
            unfit.append(memory)
    dropped = 0
    while found is None and unfit and dropped < size:
        dropped += unfit.popleft().nbytes
    _free.extend(unfit)
    return np.empty(size, np.uint8) if found is None else found
