"""How far a run is: a bar on a terminal, a line now and then elsewhere, nothing if quiet."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from daskxmlc_cli.command import quiet

Progress = Callable[[int, int], None]
SECONDS = 10.0  # between two lines


@contextmanager
def show_progress(text: str) -> Iterator[Progress | None]:
    """Show on standard error how many documents are done, at what rate, and the time left.

    Yields
    ------
    callable or None
        To be called with documents done and documents in all; None if the user wants quiet.
    """
    if quiet():
        yield None
    elif sys.stderr.isatty():
        with _bar(text) as progress:
            yield progress
    else:
        yield Lines(text)


class Lines:
    """A plain line every ten seconds, for logs."""

    def __init__(self, text: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.text = text
        self.clock = clock
        self.begin = self.last = clock()

    def __call__(self, done: int, total: int) -> None:
        """Write a line if the last one is long enough ago."""
        now = self.clock()
        if now - self.last < SECONDS:
            return
        self.last = now
        pace = _pace(done, total, now - self.begin)
        click.echo(f"{self.text}: {done} of {total} documents, {pace}", err=True)


@contextmanager
def _bar(text: str) -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    with Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        TextColumn("{task.completed:.0f} of {task.total:.0f} documents, {task.fields[pace]}"),
        console=Console(stderr=True),
        transient=True,
    ) as bar:
        task = bar.add_task(text, total=None, visible=False, pace="")
        begin = time.monotonic()

        def advance(done: int, total: int) -> None:
            pace = _pace(done, total, time.monotonic() - begin)
            bar.update(task, completed=done, total=total, visible=True, pace=pace)

        yield advance


def _pace(done: int, total: int, seconds: float) -> str:
    """Write how fast it goes and how long it will still take."""
    if done == 0 or seconds <= 0:
        return "starting"
    return f"{done / seconds:.0f} a second, {_duration((total - done) * seconds / done)} left"


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s"
