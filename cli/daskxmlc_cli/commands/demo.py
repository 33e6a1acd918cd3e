"""`daskxmlc demo`: three real methods on a small real data set, from files to tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from daskxmlc_cli.command import make_command

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.table import Table

    from daskxmlc.report.result import Result, Row

METHODS = ("parabel", "bonsai", "plt")
COMPARED = (
    *("precision@1", "precision@3", "precision@5", "recall@5", "ndcg@5"),
    *("micro_f1", "macro_f1", "example_f1", "subset_accuracy"),
)
PROFILED = {"precision@1": "P@1", "ndcg@5": "nDCG@5"}


@make_command("demo", example="daskxmlc demo wordnet")
@click.argument("directory", required=False, type=click.Path(path_type=Path))
def command(directory: Path | None) -> None:
    """Evaluate a small real example, from data that ship with the package.

    Three methods assign WordNet's nouns to their hypernyms; they are compared over all labels
    and level by level. DIRECTORY, a new or an empty one, keeps the data and the results.
    """
    from tempfile import TemporaryDirectory

    if directory is None:
        with TemporaryDirectory(prefix="daskxmlc-demo-") as folder:
            place_data(Path(folder))
            results = evaluate_methods(Path(folder))
    else:
        results = evaluate_and_keep(directory)
    show(results)
    click.echo(what_next(directory))


def evaluate_and_keep(directory: Path) -> dict[str, Result]:
    """Make the directory with the data and the results; it appears whole or not at all.

    Raises
    ------
    UsageError
        It holds something, or cannot be made.
    """
    from dataclasses import replace

    from daskxmlc.errors import UsageError
    from daskxmlc.report.writing import whole_folder, write_text

    if directory.is_dir() and (found := sum(1 for _ in directory.iterdir())):
        raise UsageError(
            f"demo: the directory must be empty, got {str(directory)!r} with {found} entries; "
            "name a new one"
        )
    with whole_folder(directory, mark=f"{METHODS[0]}.json", what="demo") as folder:
        place_data(folder)
        results = evaluate_methods(folder)
        for method, result in results.items():
            named = replace(
                result,
                scores=str(directory / f"{method}.npz"),
                truth=str(directory / "truth.npz"),
            )
            write_text(folder / f"{method}.json", named.to_json())
    return results


def place_data(directory: Path) -> None:
    """Copy the data that ship with the package."""
    from importlib.resources import files

    for file in files("daskxmlc_cli").joinpath("demo_data").iterdir():
        (directory / file.name).write_bytes(file.read_bytes())


def evaluate_methods(directory: Path) -> dict[str, Result]:
    """Evaluate every method over all labels and for each level, as a user would in Python."""
    import daskxmlc

    return {
        method: daskxmlc.evaluate(
            directory / f"{method}.npz",
            directory / "truth.npz",
            taxonomy=directory / "taxonomy.txt",
            tasks=("classification", "per-level"),
            threshold=0.5,
            labels=str(directory / "labels.txt"),
            documents=str(directory / "documents.txt"),
        )
        for method in METHODS
    }


def show(results: Mapping[str, Result]) -> None:
    """Print the comparison and the profile in at most 80 columns."""
    from rich.console import Console

    first = next(iter(results.values()))
    console = Console(highlight=False)
    console.print(
        f"[bold]WordNet nouns[/], {first.documents:,} documents by {first.labels:,} labels, "
        f"threshold {first.threshold}\n"
    )
    console.print(compare(results))
    console.print("\n[bold]Level by level[/]\n")
    console.print(profile(results))
    console.print("\n* best of the three\n")


def compare(results: Mapping[str, Result]) -> Table:
    """Make a table of measures by methods over all labels."""
    table = _table("measure", *results)
    for measure in COMPARED:
        rows = [_rows(result, "classification", measure)[0] for result in results.values()]
        table.add_row(measure, *_marked(rows))
    return table


def profile(results: Mapping[str, Result]) -> Table:
    """Make a table of levels by measures and methods."""
    heads = [f"{short}\n{method}" for short in PROFILED.values() for method in results]
    table = _table("level", "labels", "documents", *heads)
    columns = {
        measure: [_rows(result, "per-level", measure) for result in results.values()]
        for measure in PROFILED
    }
    for place, level in enumerate(columns["precision@1"][0]):
        cells = [
            cell
            for methods in columns.values()
            for cell in _marked([rows[place] for rows in methods])
        ]
        name = level.view.removeprefix("level-")
        table.add_row(name, f"{level.labels:,}", f"{level.documents:,}", *cells)
    return table


def what_next(directory: Path | None) -> str:
    """Say what to type next."""
    from shlex import quote

    if directory is None:
        lines = ["To keep the data and the results as JSON:", "  daskxmlc demo wordnet"]
        directory = Path("wordnet")
    else:
        kept = ", ".join(f"{method}.json" for method in METHODS)
        lines = [f"Kept in {quote(str(directory))}: the data, {kept}"]
    scores, truth = (quote(str(directory / name)) for name in ("plt.npz", "truth.npz"))
    return "\n".join(
        [
            *lines,
            "Then, for example:",
            f"  daskxmlc evaluate {scores} --truth {truth} --threshold 0.3",
            "  daskxmlc list measures",
        ]
    )


def _table(first: str, *others: str) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, collapse_padding=True)
    table.add_column(first)
    for head in others:
        table.add_column(head, justify="right")
    return table


def _rows(result: Result, task: str, measure: str) -> list[Row]:
    return [row for row in result.rows if (row.task, row.measure) == (task, measure)]


def _marked(rows: Sequence[Row]) -> list[str]:
    best = max(row.value for row in rows)
    return [
        f"[bold]{row.value:.4f}*[/]" if row.value == best else f"{row.value:.4f} " for row in rows
    ]
