"""Results as plain text that fits a terminal of 80 columns."""

from collections.abc import Iterator, Sequence

from daskxmlc.report.form import Form
from daskxmlc.report.layout import Section, heading_of, notes_of, sections_of
from daskxmlc.report.result import Result

WIDTH = 80
LONGEST = 28  # of a name; a longer one loses its middle
GAP = "  "


class PlainTable(Form):
    """Measures as lines and views as columns; views as lines where those are too many."""

    name = "table"
    summary = "plain text for a terminal, four decimals"
    endings = (".txt",)

    def text(self, results: Sequence[Result]) -> str:
        """Write heading, sections and notes."""
        heading = heading_of(results)
        widest = max(len(name) for name, _ in heading)
        lines = [f"{name:{widest}}{GAP}{' '.join(text.split())}" for name, text in heading]
        for section in sections_of(results):
            for part in _parts(section):
                lines += ["", *_aligned(part)]
        if notes := notes_of(results):
            lines += ["", *(f"note: {' '.join(note.split())}" for note in notes)]
        return "\n".join(lines) + "\n"


def _parts(section: Section) -> Iterator[Section]:
    """Turn a section that is too wide, and cut what is then still too wide."""
    turned = section if _width(section) <= WIDTH else section.transposed()
    start = 0
    while start < len(turned.columns):
        stop = start + 1
        while stop < len(turned.columns) and _width(turned.part(start, stop + 1)) <= WIDTH:
            stop += 1
        yield turned.part(start, stop)
        start = stop


def _widths(section: Section) -> tuple[int, ...]:
    names = [_short(section.title), *(_short(line.name) for line in section.lines)]
    columns = (
        max(len(_short(name)), *(len(line.cells[place]) for line in section.lines))
        for place, name in enumerate(section.columns)
    )
    return (max(map(len, names)), *columns)


def _width(section: Section) -> int:
    widths = _widths(section)
    return sum(widths) + len(GAP) * (len(widths) - 1)


def _aligned(section: Section) -> Iterator[str]:
    first, *others = _widths(section)
    grid = [
        (_short(section.title), *map(_short, section.columns)),
        *((_short(line.name), *line.cells) for line in section.lines),
    ]
    for place, (name, *cells) in enumerate(grid):
        pairs = zip(cells, others, strict=True)
        yield GAP.join([name.ljust(first), *(c.rjust(w) for c, w in pairs)]).rstrip()
        if place == 0:
            yield "-" * _width(section)


def _short(name: str) -> str:
    """Put a name on one line and take the middle out of a long one."""
    name = " ".join(name.split())
    if len(name) <= LONGEST:
        return name
    half = (LONGEST - 3) // 2
    return f"{name[: LONGEST - 3 - half]}...{name[-half:]}"
