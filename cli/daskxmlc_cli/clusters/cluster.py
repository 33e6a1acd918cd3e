"""What a cluster is: a place to compute, joined or started for one run."""

import logging
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from daskxmlc.discover import catalogue
from daskxmlc.errors import UsageError

if TYPE_CHECKING:
    from distributed import Client


@dataclass(frozen=True, slots=True)
class Wish:
    """What the user asked of the cluster; None leaves it to the cluster.

    Attributes
    ----------
    workers, threads_per_worker
        Processes, and threads of each.
    memory_limit
        Of each worker, as Dask writes it: ``"2GiB"``, a share such as ``"0.5"``, ``"auto"``.
    size
        Bytes of the scores on disk; None if unknown.
    """

    workers: int | None = None
    threads_per_worker: int | None = None
    memory_limit: str | None = None
    size: int | None = None

    def is_given(self) -> bool:
        """Tell whether the user asked for anything."""
        return (self.workers, self.threads_per_worker, self.memory_limit) != (None, None, None)


class Cluster(ABC):
    """A kind of cluster. One file a kind; found by its folder."""

    name: ClassVar[str]

    @abstractmethod
    def owns(self, where: str) -> bool:
        """Tell whether the text of `--cluster` means this kind."""

    @abstractmethod
    def connect(self, where: str, wish: Wish) -> "AbstractContextManager[Client | None]":
        """Start or join the cluster, and leave it when the block ends.

        Returns
        -------
        context manager
            Of a client, or of None where this process computes.

        Raises
        ------
        UsageError
            The wish cannot be met.
        RunError
            The cluster does not answer or has no worker.
        """


def connect(where: str | None, wish: Wish) -> "AbstractContextManager[Client | None]":
    """Start or join the cluster that the user named, or the one of Dask's configuration.

    Raises
    ------
    UsageError
        No kind of cluster is meant by that name, or the wish cannot be met.
    RunError
        The cluster does not answer or has no worker.
    """
    where = where or _configured() or "local"
    kinds: dict[str, Cluster] = catalogue("daskxmlc_cli.clusters", Cluster)
    for kind in kinds.values():
        if kind.owns(where):
            return kind.connect(where, wish)
    raise UsageError(
        f"--cluster: no cluster is called {where!r}; it is 'local' or the address of a scheduler "
        "such as tcp://127.0.0.1:8786"
    )


@contextmanager
def silence() -> Iterator[None]:
    """Keep what Dask logs off the user's terminal; errors of the run reach him as exceptions."""
    names = ("distributed", "distributed.client", "tornado", "asyncio", "bokeh")
    loggers = [logging.getLogger(name) for name in names]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def _configured() -> str | None:
    import dask.config

    address = dask.config.get("scheduler-address", None)
    return None if address is None else str(address)
