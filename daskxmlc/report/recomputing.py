"""Other measures, ranks and rules from the counts of a result."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from daskxmlc.conventions.resolving import record, resolve
from daskxmlc.errors import DataError, UsageError
from daskxmlc.measures.asking import Asked, parse
from daskxmlc.measures.refusing import refuse_lacking
from daskxmlc.report.result import Result
from daskxmlc.report.rows import rows_of

COUNTED = ("ties", "rank_ties", "threshold_rule", "absent")  # rules that stand in the counts


def recompute(
    result: Result,
    *,
    measures: Sequence[str] = (),
    ks: Sequence[int] | None = None,
    rules: Mapping[str, str] | None = None,
) -> Result:
    """Compute other values from the counts of a result.

    Parameters
    ----------
    result
        With its counts, as `load_tables` gives it.
    measures
        Names; none keeps those of the result.
    ks
        Ranks for the measures at k; None keeps those of the result.
    rules
        Rules that differ from the result's, name to value.

    Returns
    -------
    Result
        With the same counts.

    Raises
    ------
    UsageError
        What is asked for was not counted, or a rule stands in the counts.
    DataError
        The result has no counts.
    """
    if result.tally is None:
        raise DataError("report: the result has no counts; evaluate again to have them")
    overrides = {**result.rules.as_dict(), **(rules or {})}
    chosen = resolve(result.conventions["name"], overrides)
    for rule in COUNTED:
        if getattr(chosen, rule) != getattr(result.rules, rule):
            raise UsageError(
                f"--rule: {rule} was decided when the scores were counted, got "
                f"{getattr(chosen, rule)!r}; evaluate again"
            )
    asked = _asked(result, measures, ks)
    refuse_lacking(asked, result.conventions["name"])
    return replace(
        result,
        conventions=record(result.conventions["name"], chosen),
        rows=rows_of(result.tally, asked, chosen),
        rules=chosen,
    )


def _asked(result: Result, measures: Sequence[str], ks: Sequence[int] | None) -> tuple[Asked, ...]:
    present = parse(tuple(dict.fromkeys(row.measure for row in result)), ())
    found = sorted({one.parameter for one in present if one.measure.parameter == "k"})
    names = measures or [one.measure.name if ks else one.name for one in present]
    asked = parse(names, ks or found or (1, 3, 5))
    for one in asked:
        if one.measure.needs_threshold and result.threshold is None:
            raise UsageError(
                f"measures: {one.name!r} needs a threshold, and the scores were counted without "
                "one; evaluate again with --threshold"
            )
    return asked
