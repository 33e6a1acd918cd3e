"""Groups and arrays of Zarr stores, both format versions: what they are, before what they hold."""

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from daskxmlc.errors import DataError

if TYPE_CHECKING:
    from daskxmlc.storage.chunks.reader import ArrayReader

SEPARATOR = "::"
STORE_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Node:
    """A group or an array, by its metadata alone.

    Attributes
    ----------
    store, inner
        The store's folder, and the path in it, ``""`` for its root.
    kind, version
        What it is, in which format version of Zarr.
    attributes
        The user's attributes.
    shape
        Of an array; empty for a group.
    dimensions
        The names of an array's axes, None where they are not given.
    is_text
        Whether an array holds strings.
    """

    store: str
    inner: str
    kind: Literal["array", "group"]
    version: int
    attributes: dict[str, Any]
    shape: tuple[int, ...] = ()
    dimensions: tuple[str | None, ...] | None = None
    is_text: bool = False

    def child(self, name: str) -> "Node | None":
        """Look for a node in this group."""
        return look(self.store, f"{self.inner}/{name}".strip("/"))

    def children(self) -> "list[Node]":
        """List the nodes of this group by name."""
        names = sorted(entry.name for entry in Path(self.store, self.inner).iterdir())
        return [child for name in names if (child := self.child(name)) is not None]


def split_address(path: str) -> tuple[str, str]:
    """Split ``store.zarr::path/in/it`` into the store and the path in it."""
    store, _, inner = path.partition(SEPARATOR)
    return store, inner.strip("/")


def look(store: str, inner: str = "") -> Node | None:
    """Look at what lies in a store, or give None where no node does.

    Raises
    ------
    DataError
        The metadata are damaged.
    """
    folder = Path(store, inner)
    described = _document(folder / "zarr.json")
    if described is not None:
        return Node(
            store,
            inner,
            "array" if described.get("node_type") == "array" else "group",
            3,
            described.get("attributes") or {},
            tuple(described.get("shape", ())),
            _names(described.get("dimension_names")),
            is_text=_is_text(described.get("data_type")),
        )
    array = _document(folder / ".zarray")
    if array is None and _document(folder / ".zgroup") is None:
        return None
    attributes = _document(folder / ".zattrs") or {}
    if array is None:
        return Node(store, inner, "group", 2, attributes)
    dimensions = _names(attributes.get("_ARRAY_DIMENSIONS"))
    text = _is_text(array.get("dtype"))
    return Node(
        store, inner, "array", 2, attributes, tuple(array.get("shape", ())), dimensions, text
    )


def own_attributes(store: str, inner: str = "") -> dict[str, Any] | None:
    """Give what daskxmlc wrote of a store, or None if another program wrote it.

    Raises
    ------
    DataError
        The store was not completed, or is of a later format.
    """
    for place in dict.fromkeys((inner, inner.rpartition("/")[0], "")):
        node = look(store, place)
        described = None if node is None else node.attributes.get("daskxmlc")
        if not isinstance(described, dict):
            continue
        if described.get("complete") is not True:
            raise DataError(
                f"{store}: the store was not completed, its writer stopped before the end; "
                "convert it again"
            )
        if described.get("format") != STORE_FORMAT:
            raise DataError(
                f"{store}: the store's format is {described.get('format')!r}; this version reads "
                f"format {STORE_FORMAT}"
            )
        return described
    return None


def open_reader(store: str, inner: str, *, fill: bool) -> "ArrayReader":
    """Open an array; a process keeps it for later reads until its metadata change.

    Parameters
    ----------
    store, inner
        The store, and the array in it.
    fill
        Whether a chunk that is missing is read as the fill value.

    Raises
    ------
    DataError
        The array cannot be opened: damaged metadata, an unknown codec.
    """
    return _open(store, inner, fill, state(store, inner))


def read_ids(store: str, inner: str, *, fill: bool) -> NDArray[np.str_]:
    """Read an array of ids as strings.

    Raises
    ------
    DataError
        A chunk is missing or damaged.
    """
    ids = open_reader(store, inner, fill=fill).read_all()
    if ids.dtype.kind == "S":
        return np.char.decode(ids, "utf-8")
    if ids.dtype.kind == "T":
        widest = int(np.strings.str_len(ids).max(initial=1))
        return ids.astype(f"<U{widest}")
    return ids.astype(np.str_)


def state(store: str, inner: str) -> object:
    """Give what changes when a node is written anew."""
    for name in ("zarr.json", ".zarray"):
        try:
            status = Path(store, inner, name).stat()
        except OSError:
            continue
        return status.st_mtime_ns, status.st_size, status.st_ino
    return None


@lru_cache(maxsize=64)
def _open(store: str, inner: str, fill: bool, _: object) -> "ArrayReader":
    import zarr
    from zarr.storage import LocalStore

    from daskxmlc.storage.chunks.reader import ArrayReader
    from daskxmlc.storage.chunks.strict import StrictStore

    strict = StrictStore(LocalStore(store, read_only=True))
    version: Literal[2, 3] = 3 if Path(store, inner, "zarr.json").is_file() else 2
    try:
        array = zarr.open_array(strict, path=inner, mode="r", zarr_format=version)
    except Exception as error:
        raise DataError(
            f"{store}: array {inner or '/'!r} cannot be opened, {_first_line(error)}"
        ) from error
    # Where the fill value is NaN, a gap cannot be taken for scores: it is refused as NaN. Stores of
    # our own are written whole, so that a gap is a loss whatever would be filled in.
    is_nan = array.dtype.kind == "f" and np.isnan(array.fill_value or 0)
    is_own = own_attributes(store, inner) is not None
    is_loss = not is_nan or is_own
    strict.refuse_missing = is_loss and not fill
    cure = "restore it from a copy, or convert the source again"
    if not is_own:
        cure = "copy the store again, or say that gaps mean the fill value (--missing-chunks fill)"
    return ArrayReader(
        array, store=store, inner=inner, cure=cure if strict.refuse_missing else None
    )


def _first_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).split("\n", 1)[0]


def _document(path: Path) -> dict[str, Any] | None:
    try:
        content = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise DataError(f"{path}: the metadata cannot be read, {error.strerror}") from error
    try:
        described = json.loads(content)
    except ValueError as error:
        raise DataError(f"{path}: the metadata are damaged, {_first_line(error)}") from error
    if not isinstance(described, dict):
        raise DataError(f"{path}: the metadata are damaged; a JSON object is expected")
    return described


def _names(names: object) -> tuple[str | None, ...] | None:
    if not isinstance(names, list) or not any(names):
        return None
    return tuple(None if name is None else str(name) for name in names)


def _is_text(dtype: object) -> bool:
    name = dtype.get("name") if isinstance(dtype, dict) else dtype
    return isinstance(name, str) and (
        name in {"string", "fixed_length_utf32", "|O"} or name[1:].startswith("U")
    )
