"""What users hand over, as matrices: paths, arrays in memory, Dask arrays, data arrays."""

import os
from typing import Any, TypeAlias

from daskxmlc.errors import DataError, UsageError
from daskxmlc.evaluation.running import active_client
from daskxmlc.storage.matrix import Matrix, Reading
from daskxmlc.storage.memory import from_array, from_csr, from_dataarray
from daskxmlc.storage.opening import open_matrix

_ARTICLES = {"scores": "scores", "truth": "a truth"}

#: A path, or an array of documents by labels of NumPy, SciPy, xarray or Dask.
Source: TypeAlias = "str | os.PathLike[str] | Matrix | Any"


def matrix_of(source: Source, format: str, reading: Reading) -> Matrix:  # noqa: A002
    """Open a source.

    Parameters
    ----------
    source
        A path or an array.
    format
        Format of a file, ``"auto"`` to recognise it.
    reading
        What the user says of it.

    Raises
    ------
    UsageError
        It is nothing that daskxmlc knows.
    DataError
        It cannot be read.
    """
    if isinstance(source, (str, os.PathLike)):
        return _open(os.fspath(source), format, reading)
    if isinstance(source, Matrix):
        return source
    # Types are told by where they come from, so that no library is imported only to ask.
    home = type(source).__module__.partition(".")[0]
    kind = type(source).__name__
    if home == "numpy" and kind == "ndarray":
        return from_array(source, reading=reading)
    if home == "scipy":
        return from_csr(source, reading=reading)
    if home == "xarray" and kind == "DataArray":
        return _data_array(source, reading)
    if home == "dask" and kind == "Array":
        from daskxmlc.evaluation.dask_arrays import DaskMatrix

        return DaskMatrix(source, reading)
    raise UsageError(
        f"{reading.kind}: cannot take a {home}.{kind}; give a path, an xarray.DataArray, a Dask or "
        "NumPy array or a SciPy sparse matrix"
    )


def seen_by_workers(path: str) -> str:
    """Give a path as workers need it, who run in folders of their own."""
    if active_client() is None or "://" in path:
        return path
    return os.path.abspath(path)  # noqa: PTH100  # keeps store.zarr::array


def _open(path: str, format: str, reading: Reading) -> Matrix:  # noqa: A002
    matrix = open_matrix(seen_by_workers(path), format=format, reading=reading)
    matrix.source = path
    if matrix.kind != reading.kind:
        raise DataError(
            f"{path}: is a store of {_ARTICLES[matrix.kind]}, got it for "
            f"{_ARTICLES[reading.kind]}; give scores first and the truth as --truth"
        )
    return matrix


def _data_array(source: Any, reading: Reading) -> Matrix:  # noqa: ANN401
    from dask.base import is_dask_collection

    if not is_dask_collection(source):
        return from_dataarray(source, reading=reading)
    from daskxmlc.evaluation.dask_arrays import DaskMatrix

    ids = {
        name: source.coords[name].values.astype(str) if name in source.coords else None
        for name in ("document", "label")
    }
    array = (
        source.transpose("document", "label").data if set(source.dims) == set(ids) else source.data
    )
    return DaskMatrix(array, reading, documents=ids["document"], labels=ids["label"])
