"""The group of commands, found by name and imported when called, and the one error handler."""

import importlib
import signal
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from daskxmlc_cli.command import CONTEXT, DEBUG, shared_options, write_example
from daskxmlc_cli.commands import SUMMARIES

EXAMPLE = """
daskxmlc demo
daskxmlc evaluate scores.npz --truth truth.npz --output result.json
daskxmlc list measures
"""


class OneLineError(click.ClickException):
    """An error that is shown as its one line, with an exit status of its own."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(" ".join(message.split()))
        self.exit_code = exit_code  # type: ignore[misc]  # click's own is for each class

    def show(self, file: object = None) -> None:
        """Write the line to standard error."""
        del file
        click.echo(self.message, err=True)


class Commands(click.Group):
    """Commands that are imported when they are called; every error becomes one line."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401
        super().__init__(*args, **kwargs)
        self.params += shared_options()

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Give the names of all commands."""
        del ctx
        return list(SUMMARIES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command, or give None if there is none of that name."""
        del ctx
        if cmd_name not in SUMMARIES:
            return None
        module = importlib.import_module(f"daskxmlc_cli.commands.{cmd_name}")
        command = module.command
        if not isinstance(command, click.Command):
            raise TypeError(cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(SUMMARIES.items()))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write an example as it stands."""
        del ctx
        write_example(EXAMPLE, formatter)

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: object,
    ) -> click.Context:
        """Read the options of the group."""
        debug = "--debug" in args  # wherever it stands, and if the rest cannot be read
        with one_line(lambda: info_name or "daskxmlc", debug=debug):
            context = super().make_context(info_name, args, parent, **extra)
        context.meta[DEBUG] = debug
        return context

    def invoke(self, ctx: click.Context) -> object:
        """Run a command."""

        def where() -> str:
            return " ".join([ctx.command_path, *filter(None, [ctx.invoked_subcommand])])

        with one_line(where, debug=bool(ctx.meta.get(DEBUG))), _terminated_like_interrupted():
            return super().invoke(ctx)


class Terminated(KeyboardInterrupt):
    """The process was told to end: nothing half-written stays behind."""


@contextmanager
def _terminated_like_interrupted() -> Iterator[None]:
    """Clean up at SIGTERM, too: schedulers of batch jobs send it before they kill."""

    def end(*_: object) -> None:
        raise Terminated

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    former = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, former)


@contextmanager
def one_line(where: Callable[[], str], *, debug: bool) -> Iterator[None]:
    """Turn every error into one line and an exit status; with `debug`, the traceback precedes it.

    Raises
    ------
    OneLineError
        For every error but click's own ways of leaving.
    """
    try:
        yield
    except (OneLineError, click.exceptions.Exit, click.exceptions.NoArgsIsHelpError):
        raise
    except BrokenPipeError:
        raise
    except (Exception, KeyboardInterrupt) as error:
        if debug:
            traceback.print_exc()
        raise OneLineError(*_said(where(), error)) from error


def _said(where: str, error: BaseException) -> tuple[str, int]:
    """Give the line for an error and the exit status."""
    from daskxmlc.errors import DaskxmlcError

    if isinstance(error, DaskxmlcError):
        return str(error), error.exit_status
    if isinstance(error, click.ClickException):
        return _click_said(where, error), error.exit_code
    if isinstance(error, Terminated):
        return f"{where}: terminated", 143
    if isinstance(error, KeyboardInterrupt | click.Abort):
        return f"{where}: interrupted", 130
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or where}: {_lowered(error.strerror)}", 1
    text = f"{type(error).__name__}: {error}".rstrip(": ")
    return f"{where}: unexpected {text}; --debug shows where it comes from", 1


def _click_said(where: str, error: click.ClickException) -> str:
    if not isinstance(error, click.UsageError):
        return f"{where}: {error.format_message()}"
    path = error.ctx.command_path if error.ctx else where
    return f"{path}: {_lowered(error.format_message())}; see '{path} --help'"


def _lowered(text: str) -> str:
    """Make the start of a sentence and its end those of a part of a line."""
    text = text.strip().rstrip(".")
    return text[:1].lower() + text[1:]


def _show_version(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    del parameter
    if value:
        from daskxmlc import __version__

        click.echo(f"daskxmlc {__version__}")
        ctx.exit()


@click.group(name="xmlc", cls=Commands, context_settings=CONTEXT)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_show_version,
    help="Show the version.",
)
def main() -> None:
    """Evaluate extreme multi-label classifiers exactly, on one machine or on a Dask cluster.

    Scores and truth are stores or files of any known format; every number is computed from
    counts that add up to the same result whatever the chunks and the workers.
    """
