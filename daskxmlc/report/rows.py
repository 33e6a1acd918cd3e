"""Rows of a result: every measure that was asked for, in every view, from the sums."""

from collections.abc import Iterator, Sequence

from daskxmlc.conventions.convention import Rules
from daskxmlc.errors import UsageError
from daskxmlc.measures.asking import Asked, within_view
from daskxmlc.report.result import Row
from daskxmlc.tables.hits_by_rank import HitsByRank
from daskxmlc.tables.table import Table
from daskxmlc.tables.tally import Tally, ViewTables


def rows_of(tally: Tally, asked: Sequence[Asked], rules: Rules) -> tuple[Row, ...]:
    """Compute the measures of all views.

    Parameters
    ----------
    tally
        The sum over all documents.
    asked
        Measures with their parameters, in the order of the report.
    rules
        The conventions in force.

    Returns
    -------
    tuple of Row
        View by view, in each the measures as asked; a curve up to the labels ends at those of the
        view that has the most.

    Raises
    ------
    UsageError
        A measure needs a table, or more ranks, than were counted.
    """
    return tuple(_rows(tally, asked, rules))


def ranks_counted(tally: Tally) -> int | None:
    """Give the number of ranks that hits were counted for, None if ranks were not counted."""
    for view in tally.views:
        for table in view.tables:
            if isinstance(table, HitsByRank):
                return len(table.hits)
    return None


def _rows(tally: Tally, asked: Sequence[Asked], rules: Rules) -> Iterator[Row]:
    # All views have the same rows, so that the names of the rows say all that was asked for.
    most = max((len(view.labels) for view in tally.views), default=0)
    wanted = within_view(asked, most)
    for view in tally.views:
        labels = len(view.labels)
        for one in wanted:
            score = one.measure.score(
                _table(view, one), rules, labels=labels, parameter=one.parameter
            )
            yield Row(
                task=view.task,
                view=view.view,
                measure=one.name,
                value=float(score.value),
                documents=int(score.documents),
                labels=labels,
                dead_labels=score.dead_labels,
            )


def _table(view: ViewTables, one: Asked) -> Table:
    try:
        return view.table(one.measure.table)
    except KeyError:
        message = (
            f"measures: what {one.name!r} needs was not counted in view {view.view!r}; "
            "evaluate again and ask for it"
        )
        raise UsageError(message) from None
