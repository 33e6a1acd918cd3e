"""What every command has: help that ends in an example, `--quiet`, `--debug`."""

from collections.abc import Callable
from inspect import cleandoc
from typing import Any

import click

from daskxmlc_cli.commands import SUMMARIES

CONTEXT = {"help_option_names": ["-h", "--help"]}
DEBUG = "daskxmlc.debug"
QUIET = "daskxmlc.quiet"


def make_command(name: str, *, example: str) -> Callable[[Callable[..., None]], click.Command]:
    """Make the command of that name, whose help is the function's docstring and an example.

    Parameters
    ----------
    name
        As in `SUMMARIES`.
    example
        A command line, or several lines.
    """

    def made(function: Callable[..., None]) -> click.Command:
        return click.command(
            name=name,
            cls=Command,
            help=cleandoc(function.__doc__ or ""),
            short_help=SUMMARIES[name],
            example=example,
            context_settings=CONTEXT,
        )(function)

    return made


class Command(click.Command):
    """A command whose help shows an example, with the options that every command has."""

    def __init__(self, *args: Any, example: str, **kwargs: Any) -> None:  # noqa: ANN401
        super().__init__(*args, **kwargs)
        self.params += shared_options()
        self.example = example

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the example as it stands."""
        del ctx
        write_example(self.example, formatter)


def shared_options() -> list[click.Parameter]:
    """Give `-q/--quiet` and `--debug`; they may stand before or after the command's name."""
    return [
        click.Option(
            ["-q", "--quiet"],
            is_flag=True,
            expose_value=False,
            callback=_remembered(QUIET),
            help="No progress and no remarks.",
        ),
        click.Option(
            ["--debug"],
            is_flag=True,
            expose_value=False,
            callback=_remembered(DEBUG),
            help="Show the traceback of an error.",
        ),
    ]


def write_example(example: str, formatter: click.HelpFormatter) -> None:
    """Write command lines as they stand, none of them broken."""
    with formatter.section("Example"):
        for line in example.strip().splitlines():
            formatter.write(f"{'':{formatter.current_indent}}{line}\n")


def quiet() -> bool:
    """Tell whether the user wants results and errors only."""
    return _is_set(QUIET)


def debugging() -> bool:
    """Tell whether the user wants to see where an error comes from."""
    return _is_set(DEBUG)


def remark(text: str) -> None:
    """Say something on standard error that is not a result, unless the user wants quiet."""
    if not quiet():
        click.echo(text, err=True)


def _is_set(key: str) -> bool:
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(key))


def _remembered(key: str) -> Callable[[click.Context, click.Parameter, bool], None]:
    def remember(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
        del parameter
        ctx.meta[key] = value or bool(ctx.meta.get(key))

    return remember
