"""`daskxmlc bench`, from options to what is printed."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from daskxmlc.benchmark.making import make_data
from daskxmlc.benchmark.recipe import Recipe
from daskxmlc_cli.main import main

SMALL = ("--documents", "60", "--labels", "30", "--repeat", "1")


def bench(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["bench", *arguments])


def test_workers_are_measured_and_nothing_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    done = bench(*SMALL, "--workers", "1", "--output-format", "json")
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert report["cluster"]["workers"] == 1
    assert report["data"]["documents"] == 60
    assert all(len(row["peak_worker_bytes"]) == 1 for row in report["measured"])
    assert report["peak_worker_bytes"] == report["measured"][0]["peak_worker_bytes"][0]
    assert [path.name for path in tmp_path.iterdir() if "bench" in path.name] == []


def test_memory_is_measured_without_a_cluster_and_shown_as_tables() -> None:
    done = bench(*SMALL, "--kernel", "--peers", "--quiet")
    assert done.exit_code == 0, done.output
    assert done.stderr == ""
    assert "float16, 4 views: 10 best and counts" in done.stdout
    assert "daskxmlc / numpy" in done.stdout
    assert "precision@5 0." in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--scores", "a.zarr"], "--scores: they are measured with their --truth"),
        (["--truth", "a.zarr"], "--scores: they are measured with their --truth"),
        (["--taxonomy", "t.txt"], "--scores: they are measured with their --truth"),
        (["data", "--scores", "a", "--truth", "b"], "DIRECTORY: nothing is made where --scores"),
        (["--kernel", "--scores", "a"], "--scores: scores in memory need none, got 'a'"),
        (["data", "--peers"], "DIRECTORY: scores in memory need none, got 'data'"),
        (["--kernel", "--memory-limit", "2GiB"], "--memory-limit: scores in memory need none"),
        (["--peers", "--workers", "2"], "--workers: scores in memory need none, got '2'"),
    ],
)
def test_options_that_do_not_go_together_are_refused(arguments: list[str], message: str) -> None:
    done = bench(*arguments)
    assert done.exit_code == 2
    assert done.stderr.startswith(message)
    assert len(done.stderr.splitlines()) == 1


def test_a_store_that_lies_there_is_measured(tmp_path: Path) -> None:
    data = make_data(tmp_path / "data", Recipe(documents=60, labels=30))
    assert data.taxonomy is not None
    done = bench(
        *("--scores", data.scores, "--truth", data.truth, "--taxonomy", data.taxonomy),
        *("--repeat", "1", "--workers", "1"),
    )
    assert done.exit_code == 0, done.output
    assert "60 documents by 30 labels of float32" in done.stdout
    assert "evaluate, all views / plain scan" in done.stdout
