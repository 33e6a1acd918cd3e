"""The command line end to end, on small files."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, get_args

import click
import numpy as np
import pytest
from click.testing import CliRunner, Result
from scipy import sparse

import daskxmlc
from daskxmlc.errors import UsageError
from daskxmlc.report.form import forms
from daskxmlc.storage.matrix import SCORE_KINDS
from daskxmlc.storage.pending import Codec
from daskxmlc_cli import options, progress
from daskxmlc_cli.clusters import address, cluster, local
from daskxmlc_cli.clusters.cluster import Wish
from daskxmlc_cli.main import main
from daskxmlc_cli.output import expect_places
from daskxmlc_cli.sizes import size_on_disk

# P@1 is 1/2: label 1 of the first document is true and best, label 0 of the second is wrong.
SCORES = [[0.1, 0.9, 0.0, 0.2], [0.8, 0.3, 0.2, 0.7], [-0.5, 0.0, 0.0, 0.0]]
TRUTH = [[0, 1, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give an empty working folder with scores and a truth."""
    monkeypatch.chdir(tmp_path)
    sparse.save_npz("scores.npz", sparse.csr_matrix(np.array(SCORES)))
    sparse.save_npz("truth.npz", sparse.csr_matrix(np.array(TRUTH)))
    Path("taxonomy.txt").write_text("root 0 1\n0 2\n1 3\n", encoding="utf-8")
    return tmp_path


def run(*arguments: str, status: int = 0, program: click.Command = main) -> Result:
    done = CliRunner().invoke(program, arguments, prog_name="daskxmlc")
    assert done.exit_code == status, done.output
    return done


def evaluate(*more: str, status: int = 0) -> Result:
    arguments = ["evaluate", "scores.npz", "--truth", "truth.npz", "--threshold", "0.5", *more]
    return run(*arguments, status=status)


def values(text: str) -> dict[str, float]:
    return {row["measure"]: row["value"] for row in json.loads(text)["results"]}


def files() -> set[str]:
    return {path.name for path in Path().iterdir()} - {"scores.npz", "truth.npz", "taxonomy.txt"}


def test_values_go_to_standard_output_and_nothing_else_does() -> None:
    done = evaluate("-k", "1", "--measure", "precision,micro_f1")
    assert re.search(r"^precision@1 +0\.5000$", done.stdout, re.MULTILINE)
    assert re.search(r"^micro_f1 +0\.8000$", done.stdout, re.MULTILINE)
    assert done.stderr == ""
    assert files() == set()


def test_the_command_prints_what_the_function_gives() -> None:
    done = evaluate("--output-format", "json", "-k", "1,3", "-k", "5", "--rule", "documents=all")
    result = daskxmlc.evaluate(
        "scores.npz", "truth.npz", threshold=0.5, ks=(1, 3, 5), rules={"documents": "all"}
    )
    assert done.stdout == result.to_json() + "\n"
    assert values(done.stdout)["precision@1"] == pytest.approx(1 / 3)


def test_measures_and_tasks_are_repeated_or_joined_by_commas() -> None:
    done = evaluate(
        *("--measure", "P@1, mrr", "--measure", "micro_f1,mrr", "--taxonomy", "taxonomy.txt"),
        *("--task", "classification,per-level", "--output-format", "json"),
    )
    rows = json.loads(done.stdout)["results"]
    assert [row["measure"] for row in rows] == ["precision@1", "mrr", "micro_f1"] * 3
    assert [row["view"] for row in rows[::3]] == ["all", "level-1", "level-2"]


def test_zero_is_a_threshold() -> None:
    arguments = ("evaluate", "scores.npz", "--truth", "truth.npz", "--output-format", "json")
    zero = json.loads(run(*arguments, "--threshold", "0").stdout)
    half = json.loads(run(*arguments).stdout)
    assert zero["threshold"] == 0.0
    assert half["threshold"] == 0.5
    # 3 + 4 stored entries are 0 or more, both true ones among them: TP 2, P 7, T 2
    assert values(json.dumps(zero))["micro_f1"] == 2 * 2 / (7 + 2)


@pytest.mark.parametrize(
    ("file", "begin"),
    [
        ("r.json", "{"),
        ("r.csv", "scores,task"),
        ("r.md", "- scores"),
        ("r.tex", "% needs"),
        ("r.txt", "scores  "),
    ],
)
def test_a_file_has_the_form_of_its_ending_and_a_table_is_shown(file: str, begin: str) -> None:
    done = evaluate("--output", file)
    assert Path(file).read_text(encoding="utf-8").startswith(begin)
    assert "precision@1" in done.stdout
    assert done.stderr == f"written to {file}\n"
    assert files() == {file}


def test_the_form_can_be_named_and_the_terminal_kept_quiet() -> None:
    done = evaluate("--output", "r.out", "--output-format", "csv", "-q")
    assert Path("r.out").read_text(encoding="utf-8").startswith("scores,task")
    assert done.output == ""
    assert evaluate("-q", "--output-format", "csv").stdout.startswith("scores,task")
    assert re.fullmatch(
        r"--output: .*'r\.out' names no form.*\n", evaluate("-o", "r.out", status=2).stderr
    )


def test_notes_reach_a_reader_of_csv_on_standard_error() -> None:
    arguments = ("evaluate", "scores.npz", "--truth", "truth.npz", "--output-format", "csv")
    done = run(*arguments)
    assert "note: " in done.stderr
    assert "note: " not in done.stdout
    assert run("-q", *arguments).stderr == ""
    assert run(*arguments, "--quiet").stderr == ""


def test_reports_of_documents_and_labels_are_written() -> None:
    done = evaluate("--per-label", "labels.csv", "--per-document", "documents.csv")
    assert len(Path("labels.csv").read_text(encoding="utf-8").splitlines()) == 1 + 4
    assert len(Path("documents.csv").read_text(encoding="utf-8").splitlines()) == 1 + 3
    assert "written to labels.csv\n" in done.stderr


def test_saved_tables_report_and_merge_to_the_same_values() -> None:
    scores, truth = np.array(SCORES), np.array(TRUTH)
    for name, part in (("one", slice(0, 1)), ("two", slice(1, 3))):
        sparse.save_npz(f"{name}.npz", sparse.csr_matrix(scores[part]))
        sparse.save_npz(f"{name}-truth.npz", sparse.csr_matrix(truth[part]))
        arguments = ("--truth", f"{name}-truth.npz", "--threshold", "0.5", "--save-tables", name)
        run("evaluate", f"{name}.npz", *arguments)
    whole = evaluate("--output-format", "json", "--save-tables", "whole").stdout
    merged = run("merge", "one", "two", "--save-tables", "both", "--output-format", "json").stdout
    assert json.loads(merged)["results"] == json.loads(whole)["results"]
    assert run("report", "whole", "--output-format", "json").stdout == whole
    assert run("report", "both", "--output-format", "json").stdout == merged
    both = run("report", "whole", "both", "--measure", "P@2", "--per-label", "l.csv", status=2)
    assert both.stderr == "--per-label: one folder of tables is reported, got 2\n"
    side_by_side = run("report", "whole", "both", "--measure", "P@2").stdout
    assert re.search(r"^precision@2 +(0\.5000) +\1$", side_by_side, re.MULTILINE)
    run("report", "both", "--per-label", "l.csv")
    assert Path("l.csv").exists()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--output", "no/r.json"], r"--output: there is no folder '.*/no'; .*"),
        (["--per-label", "no/l.csv"], r"--per-label: there is no folder .*"),
        (["--per-document", "."], r"--per-document: '\.' is a folder; .*"),
        (["--save-tables", "."], r"--save-tables: '\.' holds other files; .*"),
        (["--output", "r.json", "--per-label", "r.json"], r"--per-label: 'r\.json' is --output.*"),
        (["--output", "missing.npz", "--output-format", "csv"], r"--output: .* is what is read.*"),
        (["--labels", "l.txt", "--output", "l.txt"], r"--output: 'l\.txt' is what is read, too.*"),
        (["--per-label", "l.csv", "--measure", "mrr"], r"--per-label: none of the measures mrr .*"),
    ],
)
def test_what_cannot_be_written_is_refused_before_the_scores_are_read(
    more: list[str], message: str
) -> None:
    done = run("evaluate", "missing.npz", "--truth", "truth.npz", *more, status=2)
    assert re.fullmatch(message + r"\n", done.stderr)
    assert files() == set()


@pytest.mark.parametrize(
    ("more", "status", "message"),
    [
        (["-k", "0"], 2, "daskxmlc evaluate: .*'0'; for example 1,3,5; see .*"),
        (["-k", "1,x"], 2, ".*must be a positive integer, got 'x'.*"),
        (["--measure", "presicion"], 2, ".*'presicion'; did you mean .*precision.*"),
        (["--task", "per-level"], 2, ".*taxonomy.*"),
        (["--rule", "documents"], 2, "--rule: .*NAME=VALUE"),
        (["--rule", "documents=some"], 2, "--rule: documents cannot be 'some'; .*"),
        (["--conventions", "other"], 2, "--conventions: none is called 'other'; .*"),
        (["--cluster", "other"], 2, "--cluster: no cluster is called 'other'; .*"),
        (["--memory-limit", "much"], 2, "--memory-limit: 'much' is not an amount of memory; .*"),
        (["--memory-limit", "1MB"], 2, "--memory-limit: a worker cannot start with 1 MiB; .*"),
        (["--labels", "missing.txt"], 1, "missing.txt: .*"),
        (["--threshold", "nan"], 2, ".*nan.*"),
    ],
)
def test_a_wrong_request_is_one_line_and_leaves_nothing_behind(
    more: list[str], status: int, message: str
) -> None:
    done = evaluate("--output", "r.json", "--per-document", "d.csv", *more, status=status)
    assert re.fullmatch(message + r"\n", done.stderr)
    assert done.stdout == ""
    assert files() == set()


def fail_with(error: BaseException) -> Callable[..., None]:
    def fail(*_: Any, **__: Any) -> None:  # noqa: ANN401
        raise error

    return fail


@pytest.mark.parametrize(
    ("error", "status", "line"),
    [
        (
            ZeroDivisionError("two\n lines"),
            1,
            "daskxmlc evaluate: unexpected ZeroDivisionError: two lines; --debug shows .*",
        ),
        (KeyboardInterrupt(), 130, "daskxmlc evaluate: interrupted"),
        (PermissionError(13, "Permission denied", "s.zarr"), 1, "s.zarr: permission denied"),
        (ImportError("no module"), 1, "daskxmlc evaluate: unexpected ImportError: no module; .*"),
    ],
)
def test_any_error_is_one_line_and_debug_shows_the_traceback(
    error: BaseException, status: int, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daskxmlc.evaluate", fail_with(error), raising=False)
    assert re.fullmatch(line + r"\n", evaluate("--output", "r.json", status=status).stderr)
    assert files() == set()
    before = run("--debug", "evaluate", "scores.npz", "--truth", "truth.npz", status=status)
    after = evaluate("--debug", status=status)
    for done in (before, after):
        assert done.stderr.startswith("Traceback (most recent call last):\n")
        assert re.fullmatch(line, done.stderr.splitlines()[-1])


def test_under_another_group_it_is_the_same_program() -> None:
    dask = click.Group("dask")
    dask.add_command(main)
    arguments = ("xmlc", "evaluate", "scores.npz", "--truth", "truth.npz", "--threshold", "0.5")
    assert run(*arguments, program=dask).stdout == evaluate().stdout
    done = run("xmlc", "inspect", "missing.npz", status=1, program=dask)
    assert re.fullmatch(r"missing\.npz: .*\n", done.stderr)
    done = run("xmlc", "--no-such", status=2, program=dask)
    assert re.fullmatch(r".*xmlc: no such option.*--no-such.*\n", done.stderr)


def test_a_store_is_written_inspected_and_evaluated() -> None:
    said = run("convert", "scores.npz", "scores.zarr", "--output-format", "json").stdout
    assert json.loads(said)["shape"] == [3, 4]
    run("convert", "truth.npz", "truth.zarr", "--kind", "truth")
    shown = run("inspect", "scores.zarr", "--output-format", "json").stdout
    assert json.loads(shown)["problems"] == []
    assert re.search(r"^shape +3, 4$", run("inspect", "scores.zarr").stdout, re.MULTILINE)
    files_said = evaluate("--output-format", "json").stdout
    stores_said = run(
        *("evaluate", "scores.zarr", "--truth", "truth.zarr", "--threshold", "0.5"),
        *("--output-format", "json"),
    ).stdout
    assert json.loads(stores_said)["results"] == json.loads(files_said)["results"]
    again = run("convert", "scores.npz", "scores.zarr", status=1)
    assert re.fullmatch(r"scores\.zarr: .*\n", again.stderr)
    run("convert", "scores.npz", "scores.zarr", "--overwrite")


def test_inspect_shows_problems_and_fails() -> None:
    np.save("nan.npy", np.array([[0.5, np.nan]]))
    done = run("inspect", "nan.npy", status=1)
    assert re.search(r"^problem: .*NaN", done.stdout, re.MULTILINE)
    assert json.loads(run("inspect", "nan.npy", "--output-format", "json", status=1).stdout)[
        "problems"
    ]


@pytest.mark.parametrize(
    ("what", "names"),
    [
        ("formats", ["csr-npz", "npy-dense", "xmc-text"]),
        ("tasks", ["classification", "per-level"]),
        ("measures", ["precision@k, also", "micro_f1, also", "mrr"]),
        ("conventions", ["default"]),
    ],
)
def test_the_lists_name_what_there_is(what: str, names: Sequence[str]) -> None:
    text = run("list", what).stdout
    for name in names:
        assert re.search(rf"^{name}", text, re.MULTILINE)
    assert max(map(len, text.splitlines())) <= 80


def test_the_choices_of_options_are_those_of_the_library() -> None:
    assert options.SCORE_KINDS == SCORE_KINDS
    assert sorted(options.FORMS) == sorted(forms())
    assert get_args(Codec) == options.CODECS


def test_small_scores_need_no_cluster_and_others_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "_start", fail_with(RuntimeError("started")))
    assert size_on_disk("scores.npz") == Path("scores.npz").stat().st_size
    assert size_on_disk(".") == sum(path.stat().st_size for path in Path().iterdir())
    assert size_on_disk("scores.npz::group/array") == size_on_disk("scores.npz")
    assert size_on_disk("s3://bucket/scores.zarr") is None
    for small in (Wish(size=0), Wish(size=local.SMALL)):
        with cluster.connect("local", small) as client:
            assert client is None
    for large in (Wish(size=local.SMALL + 1), Wish(), Wish(size=0, workers=1)):
        with pytest.raises(RuntimeError, match="started"), cluster.connect("local", large):
            pass


def test_nothing_is_written_into_a_store_that_is_read() -> None:
    with pytest.raises(UsageError, match=r"--output: 'a\.zarr/r\.json' lies in what is read"):
        expect_places({"--output": "a.zarr/r.json"}, kept=["a.zarr"])
    expect_places({"--output": "a.zarr.json"}, kept=["a.zarr"])


def test_progress_is_a_line_every_ten_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    times = iter([0.0, 5.0, 10.0, 12.0, 21.0, 3621.0])
    lines = progress.Lines("counting", clock=lambda: next(times))
    for done in (10, 20, 30, 50, 100):
        lines(done, 7000)
    assert capsys.readouterr().err.splitlines() == [
        "counting: 20 of 7000 documents, 2 a second, 58 min 10 s left",
        "counting: 50 of 7000 documents, 2 a second, 46 min 20 s left",
        "counting: 100 of 7000 documents, 0 a second, 77 h 00 min left",
    ]


def test_workers_and_a_running_scheduler_give_the_same_text() -> None:
    from distributed import LocalCluster

    alone = evaluate("--output-format", "json")
    workers = evaluate("--output-format", "json", "--workers", "1", "--memory-limit", "1GiB")
    assert workers.stdout == alone.stdout
    assert re.fullmatch(r"cluster: 1 worker of 1 thread and 1\.00 GiB.*\n", workers.stderr)
    with LocalCluster(
        n_workers=1, processes=False, protocol="tcp", host="127.0.0.1", dashboard_address=None
    ) as running:
        where = ("--cluster", running.scheduler_address)
        joined = evaluate("--output-format", "json", *where)
        assert joined.stdout == alone.stdout
        done = evaluate(*where, "--workers", "3", status=2)
        assert "has workers of its own" in done.stderr
        assert len(running.workers) == 1


def test_a_cluster_out_of_reach_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    from distributed import LocalCluster

    monkeypatch.setattr(address, "CONNECTING", 1.0)
    monkeypatch.setattr(address, "WAITING", 1.0)
    done = evaluate("--cluster", "tcp://127.0.0.1:9", "--output", "r.json", status=1)
    assert re.fullmatch(r"tcp://127\.0\.0\.1:9: no scheduler answers within 1 s; .*\n", done.stderr)
    with LocalCluster(
        n_workers=0, protocol="tcp", host="127.0.0.1", dashboard_address=None
    ) as running:
        where = running.scheduler_address
        done = evaluate("--cluster", where, "--output", "r.json", status=1)
    assert re.fullmatch(rf"{where}: 0 workers after 1 s; .*\n", done.stderr)
    done = evaluate("--cluster", "odd://127.0.0.1:9", status=1)
    assert re.fullmatch(r"odd://127\.0\.0\.1:9: cannot be joined, .*\n", done.stderr)
    assert files() == set()


#: Runs the command line where Ctrl-C works; in what a shell puts in the background it does not.
INTERRUPTIBLE = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from daskxmlc_cli.main import main
main(prog_name="daskxmlc")
"""


def test_an_interrupt_is_one_line_and_reaches_no_worker() -> None:
    # Large enough that the workers are still at it.
    np.save("large.npy", np.zeros((40_000, 1_000), dtype=np.float32))
    sparse.save_npz("large.npz", sparse.csr_matrix((40_000, 1_000), dtype=np.float32))
    arguments = ["evaluate", "large.npy", "--truth", "large.npz", "--workers", "1", "-o", "r.json"]
    before = files()
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as running:
        assert running.stderr is not None
        assert running.stderr.readline().startswith("cluster: 1 worker")
        os.killpg(running.pid, signal.SIGINT)  # as a terminal does: to the workers, too
        _, rest = running.communicate(timeout=60)
    assert running.returncode == 130
    assert rest == "daskxmlc evaluate: interrupted\n"
    assert files() == before
