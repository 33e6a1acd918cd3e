"""Exact evaluation of extreme multi-label classifiers, block by block, on Dask.

The public names, imported when they are used.
"""

import importlib
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from daskxmlc.conversion import convert
    from daskxmlc.errors import DaskxmlcError, DataError, RunError, UsageError
    from daskxmlc.evaluation.conductor import evaluate
    from daskxmlc.inspection import inspect
    from daskxmlc.report.merging import merge_tables
    from daskxmlc.report.result import Result
    from daskxmlc.report.saved_tables import load_tables
    from daskxmlc.storage.opening import open_matrix
    from daskxmlc.taxonomy import Taxonomy, read_taxonomy

    __version__: str

__all__ = [
    "DaskxmlcError",
    "DataError",
    "Result",
    "RunError",
    "Taxonomy",
    "UsageError",
    "__version__",
    "convert",
    "evaluate",
    "inspect",
    "load_tables",
    "merge_tables",
    "open_matrix",
    "read_taxonomy",
]

_HOMES = MappingProxyType(
    {
        "DaskxmlcError": "daskxmlc.errors",
        "DataError": "daskxmlc.errors",
        "Result": "daskxmlc.report.result",
        "RunError": "daskxmlc.errors",
        "Taxonomy": "daskxmlc.taxonomy",
        "UsageError": "daskxmlc.errors",
        "convert": "daskxmlc.conversion",
        "evaluate": "daskxmlc.evaluation.conductor",
        "inspect": "daskxmlc.inspection",
        "load_tables": "daskxmlc.report.saved_tables",
        "merge_tables": "daskxmlc.report.merging",
        "open_matrix": "daskxmlc.storage.opening",
        "read_taxonomy": "daskxmlc.taxonomy",
    }
)


if not TYPE_CHECKING:  # or no type checker would miss a name that is not there

    def __getattr__(name):  # noqa: ANN001, ANN202
        if name == "__version__":
            return importlib.import_module("daskxmlc.report.version").version()
        if name not in _HOMES:
            raise AttributeError(f"module 'daskxmlc' has no attribute {name!r}")
        return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
