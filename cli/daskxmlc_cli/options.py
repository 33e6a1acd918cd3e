"""Options that several commands share, and how their texts are read."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

SCORE_KINDS = ("probability", "margin", "log-probability", "similarity", "rank", "unknown")
CODECS = ("lz4", "zstd", "none")
FORMS = ("table", "json", "csv", "markdown", "latex")


def add_options(function: F, options: Sequence[Callable[[F], F]]) -> F:
    """Decorate a function with options, shown in the order in which they are given."""
    for option in reversed(options):
        function = option(function)
    return function


def split_names(
    ctx: click.Context, parameter: click.Parameter, values: Sequence[str]
) -> tuple[str, ...]:
    """Read names that are repeated, joined by commas, or both; each is kept once."""
    del ctx, parameter
    names = (name.strip() for value in values for name in value.split(","))
    return tuple(dict.fromkeys(name for name in names if name))


def split_numbers(
    ctx: click.Context, parameter: click.Parameter, values: Sequence[str]
) -> tuple[int, ...]:
    """Read positive integers that are repeated, joined by commas, or both.

    Raises
    ------
    click.BadParameter
        One of them is none.
    """
    numbers = []
    for text in (text.strip() for value in values for text in value.split(",")):
        if not text.isdecimal() or int(text) < 1:
            message = f"must be a positive integer, got {text!r}; for example 1,3,5"
            raise click.BadParameter(message, ctx, parameter)
        numbers.append(int(text))
    return tuple(dict.fromkeys(numbers))


def split_rules(
    ctx: click.Context, parameter: click.Parameter, values: Sequence[str]
) -> dict[str, str]:
    """Read ``NAME=VALUE`` texts; names and values are checked by the library."""
    del ctx, parameter
    if not values:
        return {}
    from daskxmlc.conventions.resolving import parse_rules

    return parse_rules(values)


def add_measures(function: F) -> F:
    """Add what is to be measured: `--measure`, `-k`, `--rule`."""
    return add_options(
        function,
        [
            click.option(
                "--measure",
                "measures",
                metavar="MEASURE",
                multiple=True,
                callback=split_names,
                help="Names as in 'list measures', repeated or joined by commas.",
            ),
            click.option(
                "-k",
                "ks",
                metavar="K,K",
                multiple=True,
                default=["1,3,5"],
                callback=split_numbers,
                help="Ranks for the measures at k.  [default: 1,3,5]",
            ),
            click.option(
                "--rule",
                "rules",
                metavar="NAME=VALUE",
                multiple=True,
                callback=split_rules,
                help="One rule that differs from the convention's.",
            ),
        ],
    )


def add_cluster(function: F) -> F:
    """Add where to compute: `--cluster`, `--workers`, `--threads-per-worker`, `--memory-limit`."""
    positive = click.IntRange(min=1)
    return add_options(
        function,
        [
            click.option(
                "--cluster",
                metavar="local|ADDRESS",
                help="This machine (in one process where the scores are small), or a scheduler "
                "such as tcp://10.0.0.1:8786.  [default: the scheduler that Dask's configuration "
                "names, else local]",
            ),
            click.option("--workers", type=positive, help="Processes of a local cluster."),
            click.option("--threads-per-worker", type=positive, help="Threads of each of them."),
            click.option(
                "--memory-limit", metavar="SIZE", help="Memory of each of them, such as 2GiB."
            ),
        ],
    )


def add_output(function: F) -> F:
    """Add where the values go: `--output`, `--output-format`."""
    return add_options(
        function,
        [
            click.option(
                "--output", "-o", metavar="FILE", help="Write the values here, whole or not at all."
            ),
            click.option(
                "--output-format",
                type=click.Choice(FORMS),
                help="Form of the values.  [default: by the ending of FILE, else table]",
            ),
        ],
    )


def add_reading(function: F) -> F:
    """Add how scores and truth are read: formats, names, what absence means."""
    apart = [
        ("--score-documents", "Names of the documents of the scores, where the two differ."),
        ("--score-labels", "Names of the labels of the scores, where the two differ."),
        ("--truth-documents", "Names of the documents of the truth, where the two differ."),
        ("--truth-labels", "Names of the labels of the truth, where the two differ."),
    ]
    return add_options(
        function,
        [
            click.option(
                "--format", default="auto", show_default=True, help="Format of the scores."
            ),
            click.option(
                "--truth-format", default="auto", show_default=True, help="Format of the truth."
            ),
            add_names,
            *(click.option(name, metavar="FILE", help=text) for name, text in apart),
            add_score_kind,
            add_absent,
            add_missing_chunks,
            click.option(
                "--missing-documents",
                type=click.Choice(["error", "miss"]),
                default="error",
                show_default=True,
                help="Refuse scores that lack a document, or count it as nothing retrieved.",
            ),
        ],
    )


def add_names(function: F) -> F:
    """Add `--documents` and `--labels`."""
    return add_options(
        function,
        [
            click.option("--documents", metavar="FILE", help="Names of the documents, one a line."),
            click.option("--labels", metavar="FILE", help="Names of the labels, one a line."),
        ],
    )


def add_kind(function: F) -> F:
    """Add `--kind`."""
    return click.option(
        "--kind",
        type=click.Choice(["scores", "truth"]),
        default="scores",
        show_default=True,
        help="What it holds, where it does not say so itself.",
    )(function)


def add_score_kind(function: F) -> F:
    """Add `--score-kind`."""
    return click.option(
        "--score-kind",
        type=click.Choice(SCORE_KINDS),
        help="What the scores are.  [default: what the store or format says]",
    )(function)


def add_absent(function: F) -> F:
    """Add `--absent`."""
    return click.option(
        "--absent",
        type=click.Choice(["not-retrieved", "0.0"]),
        help="What a label means that sparse scores do not store.  [default: what the store or "
        "format says, else not-retrieved]",
    )(function)


def add_missing_chunks(function: F) -> F:
    """Add `--missing-chunks`."""
    return click.option(
        "--missing-chunks",
        type=click.Choice(["error", "fill"]),
        default="error",
        show_default=True,
        help="Refuse a store that lacks a chunk, or read it as the fill value.",
    )(function)


def add_facts_format(function: F) -> F:
    """Add `--output-format` for facts about one thing."""
    return click.option(
        "--output-format",
        type=click.Choice(["table", "json"]),
        default="table",
        show_default=True,
        help="A line for each fact, or one JSON object.",
    )(function)
