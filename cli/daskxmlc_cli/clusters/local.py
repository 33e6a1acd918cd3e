"""Computing on this machine: one process for small scores, worker processes for others."""

import logging
import signal
import warnings
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from multiprocessing import resource_tracker
from types import MappingProxyType
from typing import TYPE_CHECKING

from daskxmlc.errors import RunError, UsageError
from daskxmlc_cli.clusters.cluster import Cluster, Wish, silence
from daskxmlc_cli.command import debugging, remark

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distributed import Client

SMALL = 512 << 20  # bytes of scores on disk that one process reads sooner than workers start
LEAST = 160 << 20  # bytes of memory with which a worker can start, if not count
QUIETLY = "daskxmlc_cli.silent_worker"
SHARE = 0.9  # of the machine's memory that workers may fill

# What must stand before a worker starts. glibc gives each large buffer back to the system and asks
# for it again, which costs more than decoding what lies in it: workers keep their memory.
ENVIRONMENT = MappingProxyType(
    {
        "DASK_LOGGING__DISTRIBUTED": "critical",  # a worker writes to the user's terminal
        "MALLOC_MMAP_THRESHOLD_": "1073741824",
        "MALLOC_TRIM_THRESHOLD_": "4294967296",
        "MALLOC_ARENA_MAX": "1",
    }
)


class Local(Cluster):
    """One process where the scores are small and nothing else is asked for, else several."""

    name = "local"

    def owns(self, where: str) -> bool:
        """Tell whether `where` is this machine."""
        return where == "local"

    @contextmanager
    def connect(self, where: str, wish: Wish) -> "Iterator[Client | None]":
        """Start workers, unless this process is enough."""
        del where
        if not wish.is_given() and wish.size is not None and wish.size <= SMALL:
            yield None
            return
        import dask.config

        key = "distributed.nanny.pre-spawn-environ"
        with (
            silence(),
            dask.config.set({key: {**dask.config.get(key, {}), **ENVIRONMENT}}),
            _start(wish) as client,
        ):
            yield client


@contextmanager
def _start(wish: Wish) -> "Iterator[Client]":
    import dask.config
    from distributed import Client, LocalCluster

    workers, threads, limit = _shape(wish)
    preloads = list(dask.config.get("distributed.worker.preload", []))
    with ExitStack() as stack:
        with _interrupts_later(), warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Couldn't detect a suitable IP address")
            try:
                cluster = LocalCluster(
                    n_workers=workers,
                    threads_per_worker=threads,
                    memory_limit=limit,
                    processes=True,
                    host="127.0.0.1",
                    dashboard_address="127.0.0.1:0",
                    worker_dashboard_address="127.0.0.1:0",
                    preload=[*preloads, *([] if debugging() else [QUIETLY])],
                    silence_logs=logging.CRITICAL + 1,
                )
            except (OSError, RuntimeError, TimeoutError) as error:
                text = " ".join(str(error).split())
                raise RunError(f"--cluster local: the workers did not start, got {text}") from error
            stack.enter_context(cluster)
            client = stack.enter_context(Client(cluster))
        remark(_described(workers, threads, limit, cluster.dashboard_link))
        yield client


@contextmanager
def _interrupts_later() -> "Iterator[None]":
    """Let Ctrl-C wait until the workers stand, since a half-started cluster cannot be closed.

    Threads and processes that start meanwhile never see it: this process closes them.
    """
    resource_tracker.ensure_running()  # its start would let the signal through again
    former = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, former)


def _shape(wish: Wish) -> tuple[int, int, int]:
    """Give workers, threads of each, and bytes of memory of each."""
    from dask.system import CPU_COUNT
    from distributed.system import MEMORY_LIMIT

    threads = wish.threads_per_worker or 1
    workers = wish.workers or max(1, CPU_COUNT // threads)
    if wish.memory_limit is None or wish.memory_limit == "auto":
        return workers, threads, int(MEMORY_LIMIT * SHARE / workers)
    limit = _bytes(wish.memory_limit, MEMORY_LIMIT)
    if limit < LEAST:
        raise UsageError(
            f"--memory-limit: a worker cannot start with {_size(limit)}; "
            f"give at least {_size(LEAST)}"
        )
    return workers, threads, min(limit, MEMORY_LIMIT)


def _bytes(text: str, machine: int) -> int:
    """Read an amount of memory, or a share of the machine's."""
    from dask.utils import parse_bytes

    try:
        share = float(text)
    except ValueError:
        share = 0.0
    if 0 < share <= 1:
        return int(machine * share)
    try:
        return int(parse_bytes(text))
    except ValueError as error:
        message = f"--memory-limit: {text!r} is not an amount of memory; write 2GiB or 600MB"
        raise UsageError(message) from error


def _described(workers: int, threads: int, limit: int, dashboard: str) -> str:
    line = (
        f"cluster: {workers} worker{'s' * (workers > 1)} of {threads} thread{'s' * (threads > 1)} "
        f"and {_size(limit)}"
    )
    return f"{line}, dashboard {dashboard}" if find_spec("bokeh") else line


def _size(count: int) -> str:
    return f"{count / 2**30:.2f} GiB" if count >= 2**30 else f"{count / 2**20:.0f} MiB"
