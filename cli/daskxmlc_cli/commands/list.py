"""`daskxmlc list`: what there is to choose from."""

import textwrap
from collections.abc import Iterator

import click

from daskxmlc_cli.command import make_command

WIDTH = 80


@make_command("list", example="daskxmlc list measures")
@click.argument("what", type=click.Choice(["formats", "tasks", "measures", "conventions"]))
def command(what: str) -> None:
    """List the formats, tasks, measures or conventions that there are."""
    entries = {
        "formats": _formats,
        "tasks": _tasks,
        "measures": _measures,
        "conventions": _conventions,
    }[what]
    for name, text in entries():
        click.echo(name)
        click.echo(textwrap.fill(text, WIDTH, initial_indent="    ", subsequent_indent="    "))


def _formats() -> Iterator[tuple[str, str]]:
    from daskxmlc.discover import catalogue
    from daskxmlc.storage.matrix import Format

    formats: dict[str, Format] = catalogue("daskxmlc.storage", Format)
    for name, found in formats.items():
        yield name, f"{found.summary} ({', '.join(found.kinds)})"


def _tasks() -> Iterator[tuple[str, str]]:
    from daskxmlc.discover import catalogue
    from daskxmlc.tasks.task import Task

    tasks: dict[str, Task] = catalogue("daskxmlc.tasks", Task)
    for name, task in tasks.items():
        yield name, task.summary + ("; needs --taxonomy" if task.needs_taxonomy else "")


def _measures() -> Iterator[tuple[str, str]]:
    from daskxmlc.measures.asking import measures

    for name, measure in measures().items():
        parameter = "" if measure.parameter is None else f"@{measure.parameter}"
        written = name if "@" in name else name + parameter
        also = f", also {', '.join(measure.aliases)}" if measure.aliases else ""
        better = "higher" if measure.higher_is_better else "lower"
        needs = ", needs a threshold" if measure.needs_threshold else ""
        span = f"{measure.lowest:g} to {measure.highest:g}"
        counted = _words(measure.table.__name__)
        facts = f"{span}, {better} is better; from {counted}{needs}"
        yield f"{written}{also}", f"{measure.formula} ({facts})"


def _words(name: str) -> str:
    """Turn ``HitsByRank`` into ``hits by rank``."""
    return "".join(f" {letter}" if letter.isupper() else letter for letter in name).strip().lower()


def _conventions() -> Iterator[tuple[str, str]]:
    from daskxmlc.conventions.resolving import choices, conventions

    for name, convention in conventions().items():
        rules = convention.rules().as_dict()
        values = ", ".join(f"{rule}={value}" for rule, value in rules.items())
        refused = ", ".join(convention.lacks)
        yield name, f"{convention.summary}: {values}" + (f"; refuses {refused}" * bool(refused))
    for rule, values_of in choices().items():
        yield f"--rule {rule}=...", " or ".join(values_of)
