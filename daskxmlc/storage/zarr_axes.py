"""Which axis of a stored matrix is which, and where the ids lie: by names, else by lengths."""

from dataclasses import dataclass

from daskxmlc.errors import DataError
from daskxmlc.storage.zarr_nodes import Node, look

DOCUMENTS = ("document", "documents")
LABELS = ("label", "labels")


@dataclass(frozen=True, slots=True)
class Axes:
    """How a matrix lies in its array.

    Attributes
    ----------
    turned
        Whether it is stored as labels by documents.
    documents, labels
        The paths of the arrays with the ids, or None.
    notes
        What was assumed.
    """

    turned: bool = False
    documents: str | None = None
    labels: str | None = None
    notes: tuple[str, ...] = ()


def find_axes(path: str, array: Node) -> Axes:
    """Tie the axes of an array, and the ids that lie beside it, to documents and labels.

    The names of the dimensions decide. Without them, ids decide by their numbers, as far as these
    differ; without ids, rows are documents.

    Raises
    ------
    DataError
        There are ids that fit no axis, or, where names are missing, either axis.
    """
    documents, labels = _ids(array, DOCUMENTS), _ids(array, LABELS)
    first, second = array.dimensions or (None, None)
    if first in LABELS or second in DOCUMENTS:
        turned = True
    elif first in DOCUMENTS or second in LABELS:
        turned = False
    else:
        documents = documents or _named_like(array, first)
        labels = labels or _named_like(array, second)
        return _by_lengths(path, array, documents, labels)
    _expect_lengths(path, array, documents, labels, turned=turned)
    notes = ("stored as labels by documents, read as documents by labels",) if turned else ()
    return Axes(turned, _path(documents), _path(labels), notes)


def _by_lengths(path: str, array: Node, documents: Node | None, labels: Node | None) -> Axes:
    if documents is None and labels is None:
        note = "rows are taken for documents, columns for labels: the array's axes have no names"
        return Axes(notes=(note,))
    named = (documents is None or bool(documents.dimensions)) and (
        labels is None or bool(labels.dimensions)
    )
    if named and array.dimensions is not None:
        turned = _by_dimensions(array, documents, labels)
    else:
        fits = [way for way in (False, True) if _lengths_fit(array, documents, labels, way)]
        if len(fits) == 2:
            raise DataError(
                f"{path}: the ids cannot be tied to the axes of a square matrix without names of "
                "dimensions; name them 'document' and 'label'"
            )
        turned = fits == [True]
    _expect_lengths(path, array, documents, labels, turned=turned)
    notes = ("stored as labels by documents: only so do the ids fit",) if turned else ()
    return Axes(turned, _path(documents), _path(labels), notes)


def _by_dimensions(array: Node, documents: Node | None, labels: Node | None) -> bool:
    """Tell whether ids that name their dimension name those of the array the other way round."""
    first, second = array.dimensions or (None, None)
    turned_documents = documents is not None and documents.dimensions == (second,)
    turned_labels = labels is not None and labels.dimensions == (first,)
    return (turned_documents or turned_labels) and first != second


def _lengths_fit(array: Node, documents: Node | None, labels: Node | None, turned: bool) -> bool:
    rows, columns = array.shape[::-1] if turned else array.shape
    return (documents is None or documents.shape == (rows,)) and (
        labels is None or labels.shape == (columns,)
    )


def _expect_lengths(
    path: str, array: Node, documents: Node | None, labels: Node | None, *, turned: bool
) -> None:
    if _lengths_fit(array, documents, labels, turned):
        return
    found = [
        f"{ids.shape[0] if ids.shape else 0} {what}"
        for ids, what in ((documents, "documents"), (labels, "labels"))
        if ids is not None
    ]
    rows, columns = array.shape[::-1] if turned else array.shape
    raise DataError(
        f"{path}: the ids do not fit the matrix, got ids of {' and '.join(found)} for {rows} "
        f"documents by {columns} labels; one id each"
    )


def _ids(array: Node, names: tuple[str, ...]) -> Node | None:
    for name in names:
        found = _beside(array, name)
        if found is not None:
            return found
    return None


def _named_like(array: Node, dimension: str | None) -> Node | None:
    """Find the coordinate of a dimension that has another name, if it can be ids."""
    found = None if dimension is None else _beside(array, dimension)
    return found if found is not None and found.is_text else None


def _beside(array: Node, name: str) -> Node | None:
    group = array.inner.rpartition("/")[0]
    if not array.inner:
        return None
    found = look(array.store, f"{group}/{name}".strip("/"))
    if found is None or found.kind != "array" or found.inner == array.inner:
        return None
    return found if len(found.shape) == 1 else None


def _path(node: Node | None) -> str | None:
    return None if node is None else node.inner
