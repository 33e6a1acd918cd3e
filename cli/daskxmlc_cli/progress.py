"""How far a run is: a bar on a terminal, a line now and then elsewhere, nothing if quiet."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from daskxmlc_cli.command import quiet

Progress = Callable[[int, int], None]
SECONDS = 10.0  # between two lines
STARTING = "starting; a first run compiles for some seconds"


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


class Pace:
    """How fast documents are done, from the first that were: a first run compiles before."""

    def __init__(self) -> None:
        self._first: tuple[float, int] | None = None

    def __call__(self, done: int, total: int, now: float) -> str:
        """Write how many documents are done, how fast it goes and how long it will still take."""
        if self._first is None:
            if done == 0:
                return STARTING
            self._first = now, done
        begin, before = self._first
        head = f"{done} of {total} documents"
        if now <= begin or done == before:
            return head
        rate = (done - before) / (now - begin)
        return f"{head}, {rate:.0f} a second, {_duration((total - done) / rate)} left"


class Lines:
    """A plain line every ten seconds, for logs."""

    def __init__(self, text: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.text = text
        self.clock = clock
        self.last = clock()
        self.pace = Pace()

    def __call__(self, done: int, total: int) -> None:
        """Write a line if the last one is long enough ago."""
        now = self.clock()
        said = self.pace(done, total, now)
        if now - self.last >= SECONDS:
            self.last = now
            click.echo(f"{self.text}: {said}", err=True)


@contextmanager
def _bar(text: str) -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    with Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        TextColumn("{task.fields[said]}"),
        console=Console(stderr=True),
        transient=True,
    ) as bar:
        task = bar.add_task(text, total=None, said=STARTING)
        pace = Pace()

        def advance(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total, said=pace(done, total, time.monotonic()))

        yield advance


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s"
