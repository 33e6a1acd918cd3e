"""Measures are found by the names that people write, and nothing else is."""

from typing import Any

import pytest

from daskxmlc.errors import UsageError
from daskxmlc.measures.asking import deepest, default_measures, parse, tables_needed
from daskxmlc.tables.first_hits import FirstHits
from daskxmlc.tables.hits_by_rank import HitsByRank
from daskxmlc.tables.label_counts import LabelCounts
from daskxmlc.tables.overlap import Overlap


def names(*asked: str, ks: tuple[int, ...] = (1, 3)) -> list[str]:
    return [each.name for each in parse(asked, ks)]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("precision@k", ["precision@1", "precision@3"]),
        ("precision", ["precision@1", "precision@3"]),
        ("precision@5", ["precision@5"]),
        ("P@5", ["precision@5"]),
        ("p", ["precision@1", "precision@3"]),
        ("nDCG@k", ["ndcg@1", "ndcg@3"]),
        ("N@2", ["ndcg@2"]),
        ("RP@2", ["r_precision@2"]),
        ("hits@10", ["hit@10"]),
        ("Micro-F1", ["micro_f1"]),
        (" micro_f1 ", ["micro_f1"]),
        ("Another-Macro-F1", ["macro_f1_of_averages"]),
        ("exact match", ["subset_accuracy"]),
        ("Jaccard", ["example_accuracy"]),
    ],
)
def test_a_name_is_found(asked: str, found: list[str]) -> None:
    assert names(asked) == found


def test_a_measure_is_evaluated_once_where_it_was_first_asked_for() -> None:
    asked = names("P@3", "mrr", "precision@k", "MRR", "precision@03")
    assert asked == ["precision@3", "mrr", "precision@1"]


def test_the_parameter_is_a_number() -> None:
    (asked,) = parse(["P@12"], [])
    assert (asked.parameter, asked.measure.name) == (12, "precision@k")


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("presicion", "measures: none is called 'presicion'; did you mean .*precision@k"),
        ("micro_fi", "did you mean micro_f1"),
        ("micro_f1@3", "measures: none is called 'micro_f1@3'; did you mean micro_f1"),
        ("", "measures: none is called ''; there are: "),
        ("precision@0", "measures: k must be a positive integer, got 'precision@0'"),
        ("precision@-1", "k must be a positive integer"),
        ("precision@2.5", "k must be a positive integer"),
        ("precision@x", "k must be a positive integer"),
        ("precision@", "k must be a positive integer"),
        ("precision@²", "k must be a positive integer"),
        ("precision@1@2", "k must be a positive integer"),
    ],
)
def test_what_is_not_there_is_refused(asked: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        names(asked)


@pytest.mark.parametrize("k", [0, -1, 2.5, "x", "3", True, None])
def test_a_k_that_is_no_place_is_refused(k: Any) -> None:  # noqa: ANN401  # whatever users give
    with pytest.raises(UsageError, match=r"^-k: k must be a positive integer, got "):
        parse(["mrr"], [k])


def test_the_tables_follow_from_the_measures() -> None:
    assert tables_needed(parse(["mrr"], [])) == {FirstHits}
    assert tables_needed(parse(["P@1", "one_error"], [])) == {HitsByRank}
    every = parse(default_measures(), [1])
    assert tables_needed(every) == {HitsByRank, FirstHits, Overlap, LabelCounts}
    assert tables_needed([]) == set()


@pytest.mark.parametrize(
    ("asked", "places"),
    [(["P@3", "R@10", "mrr"], 10), (["one_error"], 1), (["mrr", "micro_f1"], 0), ([], 0)],
)
def test_as_many_places_are_counted_as_are_asked_for(asked: list[str], places: int) -> None:
    assert deepest(parse(asked, [7])) == places


def test_the_default_measures_come_in_their_order() -> None:
    expanded = names(*default_measures(), ks=(1, 5))
    assert expanded[:4] == ["precision@1", "precision@5", "recall@1", "recall@5"]
    assert expanded[10:12] == ["mrr", "micro_precision"]
    assert expanded[-1] == "subset_accuracy"
    assert len(expanded) == 27


def test_r_precision_is_one_measure_alone_and_another_at_k() -> None:
    assert [each.name for each in parse(["r_precision", "Rprec"], [1, 3])] == ["r_precision"]
    assert [each.name for each in parse(["r_precision@k"], [1, 3])] == [
        "r_precision@1",
        "r_precision@3",
    ]
    assert [each.name for each in parse(["r_precision@5", "RP@5"], [])] == ["r_precision@5"]
