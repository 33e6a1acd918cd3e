"""Where results go: a file that appears whole or not at all, and the terminal."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from daskxmlc_cli.command import quiet, remark

if TYPE_CHECKING:
    from daskxmlc.report.form import Form
    from daskxmlc.report.result import Result

LONG = 40  # lines of a table that is shown beside a file


@dataclass(frozen=True, slots=True)
class Destination:
    """Where values go and in which form.

    Attributes
    ----------
    file
        Path; None is standard output.
    form
        How they are written.
    """

    file: str | None
    form: "Form"


def make_destination(output: str | None, output_format: str | None) -> Destination:
    """Read `--output` and `--output-format`, before anything is computed.

    Raises
    ------
    UsageError
        The file cannot be written there, or its ending names no form.
    """
    from daskxmlc.report.form import form_by_ending, forms
    from daskxmlc.report.writing import check_file

    if output is None or output == "-":
        return Destination(None, forms()[output_format or "table"])
    check_file(output, what="--output")
    return Destination(output, forms()[output_format] if output_format else form_by_ending(output))


READ = "what is read"


def expect_places(places: dict[str, str | None], *, kept: Sequence[str | None] = ()) -> None:
    """Make sure that no two outputs share a path, and that none would replace an input.

    Parameters
    ----------
    places
        Option to path, None where it is not given.
    kept
        Paths of inputs.

    Raises
    ------
    UsageError
        Two paths are the same.
    """
    from daskxmlc.errors import UsageError

    seen = {os.path.realpath(path): READ for path in kept if path is not None}
    for option, path in places.items():
        if path is None or path == "-":
            continue
        place = os.path.realpath(path)
        if any(place.startswith(read + os.sep) for read in seen if seen[read] == READ):
            raise UsageError(f"{option}: {path!r} lies in what is read; give another path")
        other = seen.setdefault(place, option)
        if other != option:
            raise UsageError(f"{option}: {path!r} is {other}, too; give another path")


def show(results: Sequence["Result"], destination: Destination) -> None:
    """Write results to their file, and to the terminal what a reader there wants to see."""
    from daskxmlc.report.form import forms
    from daskxmlc.report.layout import notes_of
    from daskxmlc.report.writing import write_text

    text = destination.form.text(results)
    if destination.file is None:
        click.echo(text, nl=False)
        if not destination.form.carries_notes:
            for note in notes_of(results):
                remark(f"note: {note}")
        return
    write_text(destination.file, text, what="--output")
    if quiet():
        return
    lines = forms()["table"].text(results).splitlines()
    if len(lines) > LONG:
        lines = [*lines[:LONG], "..."]
    click.echo("\n".join(lines))
    remark(f"written to {destination.file}")
