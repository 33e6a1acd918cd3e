"""A running scheduler, joined by its address."""

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

from daskxmlc.errors import RunError, UsageError
from daskxmlc_cli.clusters.cluster import Cluster, Wish, silence
from daskxmlc_cli.command import remark

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distributed import Client

CONNECTING = 10.0  # seconds
WAITING = 30.0  # seconds for the first worker


class Address(Cluster):
    """A scheduler such as ``tcp://10.0.0.1:8786``; it runs on when the run is over."""

    name = "address"

    def owns(self, where: str) -> bool:
        """Tell whether `where` is written as an address."""
        return re.fullmatch(r"(\w+://.+|\[?[\w.:-]+\]?:\d+)", where) is not None

    @contextmanager
    def connect(self, where: str, wish: Wish) -> "Iterator[Client | None]":
        """Join the scheduler and wait for a worker."""
        if wish.is_given():
            raise UsageError(
                f"--cluster: {where} has workers of its own; leave out --workers, "
                "--threads-per-worker and --memory-limit"
            )
        import dask.config
        from distributed import Client

        with silence():
            try:
                # One that fails must not stay behind as everybody's default.
                client = Client(where, timeout=CONNECTING, set_as_default=False)
            except OSError as error:
                raise RunError(
                    f"{where}: no scheduler answers within {CONNECTING:.0f} s; start one with "
                    "'dask scheduler' or correct the address"
                ) from error
            except (TypeError, ValueError, RuntimeError) as error:
                reason = " ".join(str(error).split())
                raise RunError(f"{where}: cannot be joined, {reason}") from error
            with client, dask.config.set(scheduler=client):
                _wait_for_a_worker(client, where)
                remark(_described(client, where))
                yield client


def _described(client: "Client", where: str) -> str:
    info = client.scheduler_info(-1)
    workers, services = len(info["workers"]), info["services"]
    line = f"cluster: {where}, {workers} worker{'s' * (workers != 1)}"
    return f"{line}, dashboard {client.dashboard_link}" if "dashboard" in services else line


def _wait_for_a_worker(client: "Client", where: str) -> None:
    try:
        client.wait_for_workers(1, timeout=WAITING)
    except TimeoutError as error:
        raise RunError(
            f"{where}: 0 workers after {WAITING:.0f} s; start one with 'dask worker {where}'"
        ) from error
