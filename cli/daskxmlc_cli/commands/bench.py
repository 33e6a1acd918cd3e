"""`daskxmlc bench`: how fast this machine or a cluster reads and evaluates."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from daskxmlc_cli.command import make_command, remark
from daskxmlc_cli.options import add_cluster, add_facts_format, add_options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from rich.table import Table

    from daskxmlc.benchmark.making import Data
    from daskxmlc.benchmark.recipe import Recipe

EXAMPLE = """
daskxmlc bench --documents 120000 --workers 2 --threads-per-worker 1
daskxmlc bench data --documents 120000 --dtype float16 --output-format json
daskxmlc bench --scores scores.zarr --truth truth.zarr --taxonomy taxonomy.txt
daskxmlc bench --kernel --peers
"""

DOCUMENTS, DOCUMENTS_IN_MEMORY = 30_000, 20_000
UNWANTED_IN_MEMORY = (
    *("directory", "scores", "truth", "taxonomy"),
    *("cluster", "workers", "threads_per_worker", "memory_limit"),
)


def add_recipe(function: click.decorators.FC) -> click.decorators.FC:
    """Add what is made to be measured."""
    positive = click.IntRange(min=1)
    return add_options(
        function,
        [
            click.option(
                "--documents",
                type=positive,
                help=f"Documents to make.  [default: {DOCUMENTS}; in memory {DOCUMENTS_IN_MEMORY}]",
            ),
            click.option(
                "--labels",
                type=click.IntRange(min=8),
                default=8_926,
                show_default=True,
                help="Labels to make, on three levels.",
            ),
            click.option(
                "--dtype",
                type=click.Choice(["float32", "float16"]),
                default="float32",
                show_default=True,
                help="Type of the scores.",
            ),
            click.option(
                "--codec",
                type=click.Choice(["lz4", "zstd", "none"]),
                default="lz4",
                show_default=True,
                help="How chunks are compressed.",
            ),
            click.option("--chunk-documents", type=positive, help="Documents of a chunk."),
            click.option(
                "--seed",
                type=click.IntRange(min=0),
                default=0,
                show_default=True,
                help="Equal seeds make equal data.",
            ),
        ],
    )


def add_existing(function: click.decorators.FC) -> click.decorators.FC:
    """Add what is measured if nothing is to be made."""
    return add_options(
        function,
        [
            click.option("--scores", metavar="STORE", help="Scores to measure instead."),
            click.option("--truth", metavar="TRUTH", help="Their truth."),
            click.option("--taxonomy", metavar="FILE", help="Their taxonomy."),
        ],
    )


@make_command("bench", example=EXAMPLE)
@click.argument("directory", required=False, type=click.Path(path_type=Path))
@add_recipe
@add_existing
@click.option(
    "--repeat",
    type=click.IntRange(min=1),
    default=3,
    show_default=True,
    help="Turns after the first one, of which the best counts.",
)
@click.option("--kernel", is_flag=True, help="Measure the scan alone: in memory, one core.")
@click.option(
    "--peers", is_flag=True, help="Measure other tools, too, on scores in memory, one core."
)
@add_cluster
@add_facts_format
def command(*, output_format: str, kernel: bool, peers: bool, **asked: Any) -> None:  # noqa: ANN401
    """Measure reading and evaluating on the same workers, to size a cluster with.

    Makes scores of a good method, or takes those of --scores; DIRECTORY keeps what is made and
    is used again. Reports the best of several turns, with the files in the page cache.
    """
    if kernel or peers:
        report = _in_memory(asked, kernel=kernel, peers=peers)
        tables = [(report["kernels"], "kernel"), (report["peers"], "peer")]
        ratios, head = report["factors"], "documents a second"
    else:
        report = _stores(asked)
        tables = [(report["measured"], "measured")]
        ratios, head = report["ratios"], "seconds"
    if output_format == "json":
        import json

        click.echo(json.dumps(report, indent=1))
        return
    _show(report, tables, ratios, head)


def _in_memory(asked: Mapping[str, Any], *, kernel: bool, peers: bool) -> dict[str, Any]:
    from daskxmlc.benchmark.in_memory import measure_in_memory
    from daskxmlc.errors import UsageError

    for option in UNWANTED_IN_MEMORY:
        if asked[option] is not None:
            name = option.upper() if option == "directory" else f"--{option.replace('_', '-')}"
            raise UsageError(
                f"{name}: scores in memory need none, got {str(asked[option])!r}; "
                "leave it out, or leave out --kernel and --peers"
            )
    return measure_in_memory(
        _recipe(asked, DOCUMENTS_IN_MEMORY),
        kernels=kernel,
        peers=peers,
        repeat=asked["repeat"],
        announce=_announcer(),
    ).to_dict()


def _stores(asked: Mapping[str, Any]) -> dict[str, Any]:
    from daskxmlc.benchmark.stores import measure_store
    from daskxmlc_cli.clusters.cluster import Wish, connect

    wish = Wish(asked["workers"], asked["threads_per_worker"], asked["memory_limit"])
    with _data(asked) as data, connect(asked["cluster"], wish):
        return measure_store(data, repeat=asked["repeat"], announce=_announcer()).to_dict()


@contextmanager
def _data(asked: Mapping[str, Any]) -> Iterator[Data]:
    """Make what is to be measured, or take what the user names.

    Raises
    ------
    UsageError
        Scores without a truth, a truth without scores, or a directory for what is not made.
    """
    from tempfile import TemporaryDirectory

    from daskxmlc.benchmark.making import Data, make_data
    from daskxmlc.errors import UsageError
    from daskxmlc_cli.progress import show_progress

    directory, scores, truth = asked["directory"], asked["scores"], asked["truth"]
    if (scores is None) != (truth is None) or (scores is None and asked["taxonomy"]):
        raise UsageError("--scores: they are measured with their --truth; give both, or neither")
    if scores is not None:
        if directory is not None:
            raise UsageError(
                f"DIRECTORY: nothing is made where --scores are given, got {str(directory)!r}; "
                "leave one of them out"
            )
        yield Data(scores, truth, asked["taxonomy"])
        return
    recipe = _recipe(asked, DOCUMENTS)
    with TemporaryDirectory(prefix="daskxmlc-bench-") as folder:
        with show_progress("making") as progress:
            data = make_data(directory or Path(folder, "data"), recipe, progress)
        yield data


def _recipe(asked: Mapping[str, Any], documents: int) -> Recipe:
    from daskxmlc.benchmark.recipe import Recipe

    return Recipe(
        documents=asked["documents"] or documents,
        labels=asked["labels"],
        dtype=asked["dtype"],
        codec=asked["codec"],
        chunk_documents=asked["chunk_documents"],
        seed=asked["seed"],
    )


def _announcer() -> Callable[[str], None]:
    """Say once of each measurement that it begins."""
    said: set[str] = set()

    def announce(name: str) -> None:
        if name not in said:
            said.add(name)
            remark(f"measuring: {name}")

    return announce


def _show(
    report: Mapping[str, Any],
    tables: Sequence[tuple[Sequence[Mapping[str, Any]], str]],
    ratios: Mapping[str, float],
    head: str,
) -> None:
    from rich.console import Console

    console = Console(highlight=False)
    machine = report["machine"]
    memory = machine["memory_bytes"]
    click.echo(f"{machine['cpu']}, {machine['cores']} cores, {_gb(memory)} of memory")
    packages = {"daskxmlc": report["daskxmlc"], "python": machine["python"], **report["versions"]}
    click.echo(", ".join(f"{name} {version}" for name, version in packages.items()))
    if "data" in report:
        click.echo(_data_line(report))
    for rows, title in tables:
        if rows:
            console.print()
            console.print(_table(rows, title))
    if ratios:
        console.print()
        console.print(_ratios(ratios, head))
    for note in report.get("notes", ()):
        click.echo(f"note: {note}")


def _data_line(report: Mapping[str, Any]) -> str:
    data, cluster = report["data"], report["cluster"]
    where = (
        f"{cluster['workers']} workers, {cluster['threads']} threads"
        if cluster["workers"]
        else "this process"
    )
    return (
        f"{data['documents']:,} documents by {data['labels']:,} labels of {data['dtype']}, "
        f"{_gb(data['decoded_bytes'])} ({_gb(data['stored_bytes'])} on disk); {where}"
    )


def _table(rows: Sequence[Mapping[str, Any]], title: str) -> Table:
    table = _plain(title, "seconds", "GB/s", "documents/s")
    with_memory = "peak_client_bytes" in rows[0]
    with_value = any("value" in row for row in rows)
    for column in ("worker MB", "client MB") if with_memory else ():
        table.add_column(column, justify="right")
    if with_value:
        table.add_column("value", justify="right")
    for row in rows:
        cells = [row["name"]]
        if "seconds" in row:
            cells += [f"{row['seconds']:.3f}", f"{row['gb_per_second']:.3g}"]
            cells.append(f"{row['documents_per_second']:,.0f}")
        else:
            cells += ["not installed", "", ""]
        if with_memory:
            workers = row["peak_worker_bytes"]
            cells.append(f"{max(workers) / 1e6:,.0f}" if workers else "")
            cells.append(f"{row['peak_client_bytes'] / 1e6:,.0f}")
        if with_value:
            cells.append(_value(row))
        table.add_row(*cells)
    return table


def _value(row: Mapping[str, Any]) -> str:
    if "value" not in row:
        return ""
    measure, *_ = row["measure"].split()
    return f"{measure} {row['value']:.4f}"


def _ratios(ratios: Mapping[str, float], head: str) -> Table:
    table = _plain(f"ratio of {head}", "")
    for name, ratio in ratios.items():
        table.add_row(name, f"{ratio:.3g}")
    return table


def _plain(first: str, *others: str) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, collapse_padding=True)
    table.add_column(first, no_wrap=True)
    for head in others:
        table.add_column(head, justify="right")
    return table


def _gb(count: int | None) -> str:
    return "unknown" if count is None else f"{count / 1e9:.2f} GB"
