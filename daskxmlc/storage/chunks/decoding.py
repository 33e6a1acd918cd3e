"""What a stored chunk goes through before it is an array, where the short way is open.

The short way is for chunks in local files that hold little-endian numbers in C order, perhaps
compressed by zstd, lz4 or Blosc, perhaps with a checksum. The file is mapped, checked, and
decoded straight to where the rows are wanted; uncompressed rows are not moved at all. All else
goes through Zarr.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import google_crc32c
import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import zarr

CHECKSUM_BYTES = 4
NOT_STORED = 2**64 - 1


class Decompressor(Protocol):
    """What numcodecs' codecs do."""

    def decode(self, buf: object, out: object = None) -> object:
        """Decompress into `out`."""


@dataclass(frozen=True, slots=True)
class ShardIndex:
    """Where a shard keeps its index, and whether the index has a checksum."""

    at_end: bool
    checksum: bool

    def parse(self, shard: NDArray[np.uint8], chunks: tuple[int, ...]) -> NDArray[np.uint64]:
        """Read the index of a shard.

        Parameters
        ----------
        shard
            uint8: the whole shard, or just its index.
        chunks
            Chunks of the shard along each axis.

        Returns
        -------
        numpy.ndarray
            uint64 (*chunks, 2): offset and length in bytes; `NOT_STORED` where there is no chunk.

        Raises
        ------
        ValueError
            The shard is cut, or the checksum differs.
        """
        size = self.size(chunks)
        if len(shard) < size:
            raise ValueError(f"it is cut, got {len(shard)} bytes where the index has {size}")
        index = shard[-size:] if self.at_end else shard[:size]
        if self.checksum:
            index = checked(index)
        return np.frombuffer(index.tobytes(), "<u8").reshape(*chunks, 2)

    def size(self, chunks: tuple[int, ...]) -> int:
        """Give the length of the index in bytes."""
        return 16 * int(np.prod(chunks)) + CHECKSUM_BYTES * self.checksum


@dataclass(frozen=True, slots=True)
class Decoding:
    """The steps from stored bytes to numbers.

    Attributes
    ----------
    checksum
        Whether the last four bytes are the crc32c of the others.
    decompressor
        What decompresses the others, or None.
    """

    checksum: bool
    decompressor: Decompressor | None

    @property
    def is_plain(self) -> bool:
        """Whether the numbers lie in the file as they are."""
        return self.decompressor is None

    @property
    def copies_nothing(self) -> bool:
        """Whether a part can be read alone: nothing is compressed, nothing has to be checked."""
        return self.is_plain and not self.checksum

    def decode(self, stored: NDArray[np.uint8], out: NDArray[np.uint8] | None) -> NDArray[np.uint8]:
        """Decode a chunk.

        Parameters
        ----------
        stored
            uint8: the chunk as it lies in its file.
        out
            uint8, of the chunk's size: where it goes to. None only if nothing is compressed.

        Returns
        -------
        numpy.ndarray
            `out`, or a view of `stored`.

        Raises
        ------
        ValueError, RuntimeError
            The checksum differs, or the data do not decompress to the chunk's size.
        """
        content = checked(stored) if self.checksum else stored
        if self.decompressor is None:
            if out is None:
                return content
            if len(content) != len(out):
                raise ValueError(f"it has {len(content)} bytes, {len(out)} are expected")
            np.copyto(out, content)
            return out
        if len(content) == 0:
            raise ValueError("it is empty")
        self.decompressor.decode(content, out=out)
        return _expect_out(out)


def checked(stored: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Check the crc32c at the end of some bytes and give the bytes before it.

    Raises
    ------
    ValueError
        The checksum differs.
    """
    content, expected = stored[:-CHECKSUM_BYTES], stored[-CHECKSUM_BYTES:]
    if len(expected) < CHECKSUM_BYTES:
        raise ValueError(f"it is cut, got {len(stored)} bytes")
    if google_crc32c.value(content) != int.from_bytes(expected.tobytes(), "little"):
        raise ValueError("its checksum differs, so it was damaged")
    return content


def find_decoding(array: "zarr.Array[Any]") -> Decoding | None:
    """Give the steps that decode a chunk of an array, or None if they are not the short way's."""
    dtype = array.dtype
    if dtype.kind not in "fiub" or dtype.newbyteorder("=") != dtype:
        return None
    metadata = array.metadata
    if metadata.zarr_format == 2:
        if metadata.filters or (metadata.order != "C" and array.ndim > 1):
            return None
        if metadata.compressor is None:
            return Decoding(checksum=False, decompressor=None)
        decompressor = _decompressor(metadata.compressor.get_config())
        return None if decompressor is None else Decoding(checksum=False, decompressor=decompressor)
    codecs = list(metadata.codecs)
    if find_shard_index(array) is not None:
        codecs = list(getattr(codecs[0], "codecs"))  # noqa: B009  # a sharding codec has some
    return _find_in_codecs([codec.to_dict() for codec in codecs], dtype)


def find_shard_index(array: "zarr.Array[Any]") -> ShardIndex | None:
    """Tell where the shards of an array keep their index; None if it has no shards.

    Raises
    ------
    ValueError
        The index is encoded in a way that cannot be read.
    """
    if array.shards is None:
        return None
    described: Any = array.metadata.to_dict()
    sharding = described["codecs"][0]["configuration"]
    codecs = [codec["name"] for codec in sharding["index_codecs"]]
    if codecs not in (["bytes"], ["bytes", "crc32c"]) or (
        sharding["index_codecs"][0].get("configuration", {}).get("endian") == "big"
    ):
        raise ValueError(f"the codecs of its shards' index cannot be read, got {codecs}")
    return ShardIndex(
        at_end=sharding.get("index_location", "end") == "end", checksum="crc32c" in codecs
    )


def _find_in_codecs(codecs: list[Any], dtype: np.dtype[Any]) -> Decoding | None:
    if codecs[0]["name"] != "bytes":
        return None
    if dtype.itemsize > 1 and codecs[0].get("configuration", {}).get("endian") != "little":
        return None
    rest = codecs[1:]
    checksum = bool(rest) and rest[-1]["name"] == "crc32c"
    rest = rest[:-1] if checksum else rest
    if not rest:
        return Decoding(checksum=checksum, decompressor=None)
    name = str(rest[0]["name"]).removeprefix("numcodecs.")
    decompressor = _decompressor({"id": name}) if len(rest) == 1 else None
    return None if decompressor is None else Decoding(checksum=checksum, decompressor=decompressor)


def _decompressor(configuration: dict[str, Any]) -> Decompressor | None:
    from numcodecs.blosc import Blosc
    from numcodecs.lz4 import LZ4
    from numcodecs.zstd import Zstd

    # How a chunk was compressed stands in the chunk; nothing of the configuration is needed.
    known: dict[str, type[Decompressor]] = {"zstd": Zstd, "blosc": Blosc, "lz4": LZ4}
    codec = known.get(configuration["id"])
    return None if codec is None else codec()


def _expect_out(out: NDArray[np.uint8] | None) -> NDArray[np.uint8]:
    if out is None:
        raise ValueError("a compressed chunk needs a place to go to")
    return out
