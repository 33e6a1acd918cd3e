"""A run on a cluster where nobody works ends in one line, not never."""

import dask
import numpy as np
import pytest
from distributed import Client, LocalCluster

import daskxmlc
from daskxmlc.errors import RunError
from daskxmlc.evaluation import cluster


def test_a_run_whose_workers_have_all_left_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "PATIENCE", 1.0)
    with (
        LocalCluster(n_workers=0, host="127.0.0.1", dashboard_address="127.0.0.1:0") as empty,
        Client(empty, set_as_default=False) as client,
        dask.config.set(scheduler=client),
        pytest.raises(RunError, match="workers: none was left for 1 s"),
    ):
        daskxmlc.evaluate(np.eye(3), np.eye(3), threshold=0.5)
