"""How kernels are compiled: without the GIL, kept on disk, one set of options for all."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile a kernel; workers find it on disk and do not compile again."""
    return cast("Function", njit(nogil=True, cache=True, error_model="numpy")(function))


def inlined(function: Function) -> Function:
    """Compile a function into its callers: one that is called often, or takes many arrays."""
    return cast("Function", njit(nogil=True, cache=True, forceinline=True)(function))
