"""The grid of chunks that an array is cut into, and boxes of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import zarr

Place = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle of an array.

    Attributes
    ----------
    start, stop
        Along each axis.
    documents
        What to call its documents in messages, such as ``"documents 3 to 5"``; None if the
        chunks' own documents are to be named.
    """

    start: Place
    stop: Place
    documents: str | None = None

    @property
    def shape(self) -> Place:
        """Its length along each axis."""
        return tuple(stop - start for start, stop in zip(self.start, self.stop, strict=True))

    @property
    def slices(self) -> tuple[slice, ...]:
        """The slices that cut it out of the array."""
        return tuple(map(slice, self.start, self.stop))

    def relative_to(self, origin: Place) -> "Box":
        """Give the same box as seen from another place."""
        return Box(
            tuple(at - low for at, low in zip(self.start, origin, strict=True)),
            tuple(at - low for at, low in zip(self.stop, origin, strict=True)),
        )

    def common(self, other: "Box") -> "Box":
        """Give what two boxes share."""
        return Box(tuple(map(max, self.start, other.start)), tuple(map(min, self.stop, other.stop)))


class Grid:
    """An array's chunks, counted along each axis, and the shards that they lie in.

    Attributes
    ----------
    shape, chunk
        Of the array and of a chunk; of the chunks inside shards, if there are shards.
    shard
        Shape of a shard, or None.
    per_shard
        Chunks of a shard along each axis; ones where there are no shards.
    """

    def __init__(self, array: "zarr.Array[Any]") -> None:
        self.shape: Place = array.shape
        self.chunk: Place = array.chunks
        self.shard: Place | None = array.shards
        self.per_shard: Place = tuple(
            whole // part for whole, part in zip(self.shard or self.chunk, self.chunk, strict=True)
        )
        self._metadata: Any = array.metadata

    @property
    def whole(self) -> Box:
        """The whole array."""
        return Box((0,) * len(self.shape), self.shape)

    def touched_by(self, box: Box) -> Iterator[Place]:
        """Give the places of the chunks that a box touches, in C order."""
        sides = zip(box.start, box.stop, self.chunk, strict=True)
        return product(
            *(range(start // length, -(-stop // length)) for start, stop, length in sides)
        )

    def extent(self, chunk: Place) -> Box:
        """Give what a chunk covers, beyond the array's edge too."""
        start = tuple(at * length for at, length in zip(chunk, self.chunk, strict=True))
        stop = tuple(at + length for at, length in zip(start, self.chunk, strict=True))
        return Box(start, stop)

    def key(self, chunk: Place) -> str:
        """Give the key, within the array, of the file or object that a chunk lies in."""
        file, _ = self.locate(chunk)
        return str(self._metadata.encode_chunk_key(file))

    def locate(self, chunk: Place) -> tuple[Place, Place]:
        """Give the place of a chunk's shard, and the chunk's place in it."""
        pairs = [divmod(at, per) for at, per in zip(chunk, self.per_shard, strict=True)]
        return tuple(shard for shard, _ in pairs), tuple(within for _, within in pairs)

    def describe(self, chunk: Place) -> str:
        """Name a chunk in a message."""
        if self.shard is None:
            return f"chunk {self.key(chunk)!r}"
        return f"chunk {', '.join(map(str, chunk))} in shard {self.key(chunk)!r}"
