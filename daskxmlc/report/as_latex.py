r"""Results as LaTeX tables with the rules of ``booktabs``."""

from collections.abc import Iterable, Sequence

from daskxmlc.report.form import Form
from daskxmlc.report.layout import heading_of, notes_of, sections_of
from daskxmlc.report.result import Result

SPECIAL = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        "[": "{[}",  # at the start of a line it would be an argument of the line end before
        "*": "{*}",
        **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    }
)


class Latex(Form):
    """A ``tabular`` for each task; heading and notes are comments."""

    name = "latex"
    summary = "tabulars for a paper, with the rules of booktabs, four decimals"
    endings = (".tex",)

    def text(self, results: Sequence[Result]) -> str:
        """Write comments and tabulars; the document needs the package ``booktabs``."""
        said = [r"needs \usepackage{booktabs}"]
        said += [f"{name}: {text}" for name, text in heading_of(results)]
        said += [f"note: {note}" for note in notes_of(results)]
        lines = [f"% {' '.join(text.split())}" for text in said]
        for section in sections_of(results):
            lines += [
                rf"\begin{{tabular}}{{l{'r' * len(section.columns)}}}",
                r"\toprule",
                _line([section.title, *section.columns]),
                r"\midrule",
                *(_line([line.name, *line.cells]) for line in section.lines),
                r"\bottomrule",
                r"\end{tabular}",
            ]
        return "\n".join(lines) + "\n"


def _line(cells: Iterable[str]) -> str:
    return " & ".join(" ".join(cell.split()).translate(SPECIAL) for cell in cells) + r" \\"
