"""A view of a Zarr store in which nothing is missing silently and a hiccup is tried again."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from zarr.abc.store import Store
from zarr.storage import WrapperStore

if TYPE_CHECKING:
    from zarr.abc.store import ByteRequest
    from zarr.core.buffer import Buffer, BufferPrototype

TRIES = 3
PAUSE_SECONDS = 0.05
METADATA = ("zarr.json", ".zarray", ".zattrs", ".zgroup", ".zmetadata")

A = TypeVar("A")
T = TypeVar("T")


class MissingChunkError(Exception):
    """There is no such chunk; the message is its key."""


class StrictStore(WrapperStore[Store]):
    """A store that raises where Zarr would take a missing chunk for its fill value.

    Attributes
    ----------
    refuse_missing
        Whether it does.
    """

    refuse_missing = False

    async def get(
        self, key: str, prototype: "BufferPrototype", byte_range: "ByteRequest | None" = None
    ) -> "Buffer | None":
        """Read a value; only metadata may be absent."""
        import asyncio

        for tries in range(1, TRIES + 1):
            try:
                value = await super().get(key, prototype, byte_range)
            except OSError:
                if tries == TRIES:
                    raise
                await asyncio.sleep(PAUSE_SECONDS * 4**tries)
            else:
                break
        if value is None and self.refuse_missing and key.rpartition("/")[2] not in METADATA:
            raise MissingChunkError(key)
        return value


def try_again(read: Callable[[A], T], argument: A) -> T:
    """Read, and read again when the operating system says that it failed.

    Raises
    ------
    OSError
        It failed three times.
    """
    for tries in range(1, TRIES):
        try:
            return read(argument)
        except FileNotFoundError:
            raise
        except OSError:
            time.sleep(PAUSE_SECONDS * 4**tries)
    return read(argument)
