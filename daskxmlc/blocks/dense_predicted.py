"""Predicted labels of a dense row: how many each view has, and how often each column is one."""

from daskxmlc.blocks.columns import Columns, Scratch
from daskxmlc.blocks.state import State
from daskxmlc.blocks.vectors import add_predicted, count_from, count_members_from
from daskxmlc.compiling import inlined

# Where more than one lane in so many holds a predicted label, looking at single lanes does not pay.
_CROWDED = 8


@inlined
def predict(i: int, columns: Columns, state: State, scratch: Scratch) -> None:
    """Count the predicted labels of the row: by column, and by view."""
    scratch.predicted[:] = 0
    crowd = count_from(scratch.maxima, columns.lowest_threshold)
    if crowd * _CROWDED > columns.lanes:
        _predict_crowd(columns, scratch)
    else:
        for b in range(columns.lanes):
            if scratch.maxima[b] < columns.lowest_threshold:
                continue
            for column in range(b, len(scratch.keys), columns.lanes):
                if scratch.keys[column] >= columns.thresholds[column]:
                    scratch.counts[column] += 1
                    label = columns.label_of_column[column]
                    if label >= 0:
                        scratch.predicted[columns.cell_of_label[label]] += 1
    for cell in range(len(scratch.predicted)):
        if scratch.predicted[cell] > 0:
            for at in range(columns.cell_start[cell], columns.cell_start[cell + 1]):
                state.predicted[i, columns.cell_views[at]] += scratch.predicted[cell]


@inlined
def _predict_crowd(columns: Columns, scratch: Scratch) -> None:
    """Count predicted labels where they are many: whole rows, cell by cell."""
    add_predicted(scratch.keys, columns.thresholds, scratch.counts)
    for g in range(len(columns.large)):
        scratch.predicted[columns.large[g]] = count_members_from(
            scratch.keys, columns.thresholds, columns.caps[g]
        )
    for g in range(len(columns.small)):
        for at in range(columns.small_start[g], columns.small_start[g + 1]):
            column = columns.small_columns[at]
            if scratch.keys[column] >= columns.thresholds[column]:
                scratch.predicted[columns.small[g]] += 1
