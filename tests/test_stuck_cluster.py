"""A run on a cluster where nobody works ends in one line, not never."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import dask
import numpy as np
import pytest
from distributed import Client, LocalCluster

import daskxmlc
from daskxmlc.errors import RunError
from daskxmlc.evaluation import cluster

HERE: dict[str, Any] = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "PATIENCE", 1.0)


def test_a_cluster_without_workers_is_given_up() -> None:
    with (
        LocalCluster(n_workers=0, **HERE) as empty,
        Client(empty, set_as_default=False) as client,
        dask.config.set(scheduler=client),
        pytest.raises(RunError, match="workers: none was there for 1 s"),
    ):
        daskxmlc.evaluate(np.eye(3), np.eye(3), threshold=0.5)


@contextmanager
def _all_paused(client: Client) -> Iterator[None]:
    for _ in range(500):
        if client.run_on_scheduler(cluster.look, group="none")[1:] == (1, 0):
            break
        time.sleep(0.02)
    yield


def test_workers_that_have_all_paused_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "refuse_small_workers", lambda *_: None)
    # This process is larger than that, so its worker pauses before it begins.
    limits: dict[str, Any] = {
        "processes": False,
        "protocol": "tcp://",
        "n_workers": 1,
        "memory_limit": "70MB",
    }
    with (
        dask.config.set({"distributed.worker.memory.terminate": False}),
        LocalCluster(**limits, worker_dashboard_address="127.0.0.1:0", **HERE) as small,
        Client(small, set_as_default=False) as client,
        dask.config.set(scheduler=client),
        _all_paused(client),
        pytest.raises(RunError, match=r"workers: (all 1 have paused|none was there) for 1 s"),
    ):
        daskxmlc.evaluate(np.eye(3), np.eye(3), threshold=0.5)
