"""Results as Markdown tables."""

from collections.abc import Iterable, Sequence

from daskxmlc.report.form import Form
from daskxmlc.report.layout import heading_of, notes_of, sections_of
from daskxmlc.report.result import Result

SPECIAL = str.maketrans({sign: f"\\{sign}" for sign in "\\|*_`<>[]"})


class Markdown(Form):
    """A table for each task, numbers to the right."""

    name = "markdown"
    summary = "tables for a page or an issue, four decimals"
    endings = (".md", ".markdown")

    def text(self, results: Sequence[Result]) -> str:
        """Write heading, tables and notes."""
        facts = [f"- {name}: {_escaped(text)}" for name, text in heading_of(results)]
        blocks = ["\n".join(facts)]
        for section in sections_of(results):
            lines = [
                _line([section.title, *section.columns]),
                "|".join(["", " :--- ", *(" ---: " for _ in section.columns), ""]),
                *(_line([line.name, *line.cells]) for line in section.lines),
            ]
            blocks.append("\n".join(lines))
        if notes := notes_of(results):
            blocks.append("\n".join(f"- note: {_escaped(note)}" for note in notes))
        return "\n\n".join(blocks) + "\n"


def _line(cells: Iterable[str]) -> str:
    return "|".join(["", *(f" {_escaped(cell)} " for cell in cells), ""])


def _escaped(text: str) -> str:
    return " ".join(text.split()).translate(SPECIAL)
