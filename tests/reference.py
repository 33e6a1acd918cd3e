"""The measures by their definitions, one document at a time, in exact fractions.

Logarithms have 50 digits, so that every value is the nearest float64 to the true one. Slow and
plain on purpose: it shares nothing with the library but the names of tables and rules, and serves
as the oracle for the kernels, the tables and the measures.

`scores` is a list of documents, each a list with one number for each label; None and -inf mean
that the label was not retrieved. `truth` has the same shape and holds 0 or 1. `labels` are the
positions of the view's labels, increasing.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from daskxmlc.conventions.convention import Rules
from daskxmlc.tables.first_hits import FirstHits
from daskxmlc.tables.hits_by_rank import HitsByRank
from daskxmlc.tables.label_counts import LabelCounts
from daskxmlc.tables.overlap import Overlap
from daskxmlc.tables.table import Table
from tests.reference_ranks import (
    RANK_LOSSES,
    Ranked,
    rank_loss,
    rank_tables,
    ranked_sum,
)

Scores = Sequence[Sequence[float | None]]
Truth = Sequence[Sequence[int]]
DEFAULT = Rules()
DIGITS = Context(prec=50)
LOG_2 = Decimal(2).ln(DIGITS)


@dataclass(frozen=True)
class Document(Ranked):
    """One document within a view: its true and predicted labels and where its hits stand."""

    predicted: frozenset[int]

    def hit(self, place: int) -> bool:
        return place <= len(self.ranking) and self.ranking[place - 1] in self.true

    def hits(self, k: int) -> int:
        return sum(self.hit(place) for place in range(1, k + 1))

    def first_hit(self) -> int:
        """Give the place of the first true label, 0 if none was retrieved."""
        places = (place for place in range(1, len(self.ranking) + 1) if self.hit(place))
        return next(places, 0)


def _stored(score: float | None, rules: Rules) -> float:
    if score is None:
        return 0.0 if rules.absent == "0.0" else -math.inf
    return score


def _best_first(scores: Mapping[int, float], rules: Rules) -> Callable[[int], tuple[float, float]]:
    """Give the order of retrieved labels; as labels have no ids, their positions are their ids."""
    by_id = sorted(scores, key=str, reverse=True)
    order = {"first": sorted(scores), "last": sorted(scores)[::-1], "id-descending": by_id}
    return lambda label: (-scores[label], order[rules.ties].index(label))


def documents_of(
    scores: Scores,
    truth: Truth,
    threshold: float,
    labels: Sequence[int],
    rules: Rules = DEFAULT,
) -> list[Document]:
    documents = []
    for row, marks in zip(scores, truth, strict=True):
        retrieved = {
            label: score for label in labels if (score := _stored(row[label], rules)) != -math.inf
        }
        documents.append(
            Document(
                true=frozenset(label for label in labels if marks[label]),
                predicted=frozenset(
                    label
                    for label, score in retrieved.items()
                    if score > threshold
                    or (score == threshold and rules.threshold_rule == "ge")
                    or rules.threshold_rule == "stored"
                ),
                ranking=tuple(sorted(retrieved, key=_best_first(retrieved, rules))),
                placed=rules.rank_ties == "placed",
                scores=retrieved,
                labels=tuple(labels),
            )
        )
    return documents


def reference_tables(
    scores: Scores,
    truth: Truth,
    threshold: float,
    labels: Sequence[int],
    places: int,
    largest: int,
    rules: Rules = DEFAULT,
) -> dict[type[Table], Table]:
    """Count all tables of one view.

    `places` is the number of places K that are kept of each ranking, `largest` the largest number
    of true labels of any document of the whole truth.
    """
    documents = documents_of(scores, truth, threshold, labels, rules)
    return {
        **rank_tables(documents, places, largest),
        HitsByRank: _hits_by_rank(documents, places, largest),
        FirstHits: FirstHits(*_keyed([(len(d.true), d.first_hit()) for d in documents], columns=2)),
        Overlap: Overlap(
            *_keyed(
                [(len(d.true), len(d.predicted), len(d.true & d.predicted)) for d in documents],
                columns=3,
            )
        ),
        LabelCounts: LabelCounts(
            both=_int64([sum(x in d.true & d.predicted for d in documents) for x in labels]),
            predicted=_int64([sum(x in d.predicted for d in documents) for x in labels]),
            true=_int64([sum(x in d.true for d in documents) for x in labels]),
            documents=np.asarray(len(documents), dtype=np.int64),
        ),
    }


def reference_value(  # noqa: PLR0911  # a return for each family
    measure: str,
    scores: Scores,
    truth: Truth,
    threshold: float,
    labels: Sequence[int],
    rules: Rules = DEFAULT,
) -> tuple[float, int]:
    """Give a measure's value (NaN where it is undefined) and the documents it speaks of."""
    documents = documents_of(scores, truth, threshold, labels, rules)
    if not labels:
        return math.nan, 0
    name, _, parameter = measure.partition("@")
    if name.endswith("ranked_sum"):
        return ranked_sum(name, documents, int(parameter), len(labels))
    if measure in RANK_LOSSES:
        value, counted = rank_loss(name, documents, rules)
        return float(value / counted) if counted else math.nan, counted
    if name in AT_K:
        return _ranking(name, documents, int(parameter), rules)
    if name in FIRST:
        return _first(name, documents, rules)
    if not documents:
        return math.nan, 0
    if name in OWA:
        if name == "owa_binom" and int(parameter) > len(labels):
            return math.nan, 0
        return _mean([OWA[name](d, len(labels), parameter) for d in documents]), len(documents)
    if name in EXAMPLE:
        value = Fraction(sum(EXAMPLE[name](d, len(labels), rules) for d in documents))
        return float(value / len(documents)), len(documents)
    return _over_labels(name, documents, labels, rules), len(documents)


# Ranking at k ---------------------------------------------------------------------------------


def _precision_at(document: Document, k: int, _: Rules) -> Fraction:
    return Fraction(document.hits(k), k)


def _recall_at(document: Document, k: int, _: Rules) -> Fraction:
    return Fraction(document.hits(k), len(document.true))


def _ndcg_at(document: Document, k: int, rules: Rules) -> Fraction:
    gain = [
        Fraction(DIGITS.divide(LOG_2, Decimal(place + 1).ln(DIGITS))) for place in range(1, k + 1)
    ]
    best = k if rules.ndcg_ideal == "k" else min(k, len(document.true))
    return sum(
        (gain[place - 1] for place in range(1, k + 1) if document.hit(place)), Fraction()
    ) / sum(gain[:best])


def _hit_at(document: Document, k: int, _: Rules) -> Fraction:
    return Fraction(document.hits(k) > 0)


def _f1_at(document: Document, k: int, _: Rules) -> Fraction:
    return Fraction(2 * document.hits(k), k + len(document.true))


def _r_precision_at(document: Document, k: int, _: Rules) -> Fraction:
    return Fraction(document.hits(k), min(k, len(document.true)))


def _precisions(document: Document, k: int) -> Fraction:
    places = [place for place in range(1, k + 1) if document.hit(place)]
    return sum((Fraction(document.hits(place), place) for place in places), Fraction())


def _map_at(document: Document, k: int, rules: Rules) -> Fraction:
    true = len(document.true)
    over = {"min": min(k, true), "true": true, "hits": document.hits(k)}[rules.map_denominator]
    return _precisions(document, k) / over if over else Fraction(0)


AT_K = {
    "precision": _precision_at,
    "recall": _recall_at,
    "ndcg": _ndcg_at,
    "hit": _hit_at,
    "f1": _f1_at,
    "r_precision": _r_precision_at,
    "map": _map_at,
}


def _ranking(name: str, documents: list[Document], k: int, rules: Rules) -> tuple[float, int]:
    least = {"with-labels": 1, "all": 0, "at-least-k": k}[rules.documents]
    counted = [d for d in documents if len(d.true) >= least]
    values = [AT_K[name](d, k, rules) if d.true else Fraction(0) for d in counted]
    return _mean(values), len(counted)


def _reciprocal_rank(document: Document) -> Fraction:
    return Fraction(1, document.first_hit()) if document.first_hit() else Fraction(0)


def _one_error(document: Document) -> Fraction:
    return Fraction(not document.hit(1))


FIRST = {"mrr": _reciprocal_rank, "one_error": _one_error}


def _first(name: str, documents: list[Document], rules: Rules) -> tuple[float, int]:
    every = (
        rules.documents == "all"
        or {
            "mrr": rules.mrr_empty == "0",
            "one_error": rules.empty_rank_losses != "left-out",
        }[name]
    )
    counted = [d for d in documents if d.true or every]
    return _mean([FIRST[name](d) for d in counted]), len(counted)


# Example-based --------------------------------------------------------------------------------


def _wrong(document: Document, labels: int, rules: Rules) -> Fraction:
    wrong = len(document.true ^ document.predicted)
    return Fraction(wrong, labels if rules.hamming_loss == "pairs" else 1)


def _exact_match(document: Document, _labels: int, _rules: Rules) -> Fraction:
    return Fraction(document.true == document.predicted)


def _accuracy(document: Document, _: int, rules: Rules) -> Fraction:
    if not document.true | document.predicted:
        return Fraction(rules.example_empty in {"1", "1,0"})
    return Fraction(
        len(document.true & document.predicted), len(document.true | document.predicted)
    )


def _example_precision(document: Document, _: int, rules: Rules) -> Fraction:
    if not document.true | document.predicted:
        return Fraction(rules.example_empty == "1")
    return _share(len(document.true & document.predicted), len(document.predicted))


def _example_recall(document: Document, _: int, rules: Rules) -> Fraction:
    if not document.true | document.predicted:
        return Fraction(rules.example_empty == "1")
    return _share(len(document.true & document.predicted), len(document.true))


def _example_f1(document: Document, _: int, rules: Rules) -> Fraction:
    if not document.true | document.predicted:
        return Fraction(rules.example_empty == "1")
    return _f1(document.true, document.predicted)


EXAMPLE = {
    "hamming_loss": _wrong,
    "subset_accuracy": _exact_match,
    "example_accuracy": _accuracy,
    "example_precision": _example_precision,
    "example_recall": _example_recall,
    "example_f1": _example_f1,
}


# Dependence-aware losses ----------------------------------------------------------------------


def _polynomial(document: Document, labels: int, alpha: str) -> Fraction:
    right = labels - len(document.true ^ document.predicted)
    if alpha == "inf":
        return Fraction(right < labels)
    if alpha.isdigit():
        return 1 - Fraction(right, labels) ** int(alpha)
    return 1 - Fraction(DIGITS.power(DIGITS.divide(right, labels), Decimal(alpha)))


def _binomial(document: Document, labels: int, k: str) -> Fraction:
    right = labels - len(document.true ^ document.predicted)
    return 1 - Fraction(math.comb(right, int(k)), math.comb(labels, int(k)))


OWA = {"owa_poly": _polynomial, "owa_binom": _binomial}


# Label-based ----------------------------------------------------------------------------------


def _over_labels(
    name: str, documents: list[Document], labels: Sequence[int], rules: Rules
) -> float:
    true = {x: {i for i, d in enumerate(documents) if x in d.true} for x in labels}
    predicted = {x: {i for i, d in enumerate(documents) if x in d.predicted} for x in labels}
    if name.startswith("micro_"):
        pairs = {(x, i) for x in labels for i in true[x]}
        claims = {(x, i) for x in labels for i in predicted[x]}
        if not pairs | claims:
            return float(rules.micro_empty)
        return float(OF_SETS[name.removeprefix("micro_")](pairs, claims))
    if name.startswith("weighted_"):
        of_sets = OF_SETS[name.removeprefix("weighted_")]
        weight = sum(len(true[x]) for x in labels)
        total = sum(len(true[x]) * of_sets(true[x], predicted[x]) for x in labels)
        return float(Fraction(total) / weight) if weight else 0.0
    return _macro(name, [(true[x], predicted[x]) for x in labels], rules)


def _macro(name: str, labels: list[tuple[set[int], set[int]]], rules: Rules) -> float:
    dead = Fraction(rules.dead_labels == "one")
    if rules.dead_labels == "skip":
        labels = [(true, predicted) for true, predicted in labels if true | predicted]
    if not labels:
        return math.nan

    def average(of: str) -> Fraction:
        values = [OF_SETS[of](t, p) if t | p else dead for t, p in labels]
        return sum(values, Fraction()) / len(values)

    if name == "macro_f1_of_averages" or (
        name == "macro_f1" and rules.macro_f1 == "f1-of-averages"
    ):
        precision, recall = average("precision"), average("recall")
        both = precision + recall
        return float(2 * precision * recall / both) if both else 0.0
    return float(average(name.removeprefix("macro_")))


def _precision(true: "Items", predicted: "Items") -> Fraction:
    return _share(len(true & predicted), len(predicted))


def _recall(true: "Items", predicted: "Items") -> Fraction:
    return _share(len(true & predicted), len(true))


def _f1(true: "Items", predicted: "Items") -> Fraction:
    return _share(2 * len(true & predicted), len(true) + len(predicted))


Items = set[int] | frozenset[int] | set[tuple[int, int]]
OF_SETS = {"precision": _precision, "recall": _recall, "f1": _f1}
NAMES = (
    *(f"{name}@{k}" for name in AT_K for k in (1, 2, 3, 5)),
    *FIRST,
    *RANK_LOSSES,
    *(f"{name}@{j}" for name in ("ranked_sum", "reciprocal_ranked_sum") for j in (1, 2, 4)),
    *EXAMPLE,
    *(f"owa_poly@{alpha}" for alpha in ("1", "1.5", "2", "10", "inf")),
    *(f"owa_binom@{k}" for k in (1, 2, 3)),
    *(f"{mean}_{of}" for mean in ("micro", "macro", "weighted") for of in OF_SETS),
    "macro_f1_of_averages",
)
"""Every measure that `reference_value` knows, k up to 5."""


# Small parts ----------------------------------------------------------------------------------


def _share(part: int, whole: int) -> Fraction:
    return Fraction(part, whole) if whole else Fraction(0)


def _mean(values: list[Fraction]) -> float:
    return float(sum(values, Fraction()) / len(values)) if values else math.nan


def _int64(values: Sequence[int]) -> NDArray[np.int64]:
    return np.asarray(values, dtype=np.int64)


def _keyed(
    keys: Sequence[tuple[int, ...]], *, columns: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    counts = sorted(Counter(keys).items())
    return (
        np.array([key for key, _ in counts], dtype=np.int64).reshape(-1, columns),
        _int64([count for _, count in counts]),
    )


def _hits_by_rank(documents: list[Document], places: int, largest: int) -> HitsByRank:
    hits = np.zeros((places, largest + 1), dtype=np.int64)
    first_hits = np.zeros((places, largest + 1), dtype=np.int64)
    sizes = np.zeros(largest + 1, dtype=np.int64)
    prefix = np.zeros((places, largest + 1), dtype=np.int64)
    precisions = np.zeros((places, largest, 2, 5), dtype=np.int64)
    for document in documents:
        size = len(document.true)
        sizes[size] += 1
        for place in range(1, places + 1):
            hits[place - 1, size] += document.hit(place)
            first_hits[place - 1, size] += document.first_hit() == place
            prefix[place - 1, size] += document.hit(place) * document.hits(place)
            if found := document.hits(place):
                precisions[place - 1, found - 1, int(size >= place)] += _limbs(document, place)
    return HitsByRank(
        hits=hits,
        first_hits=first_hits,
        documents=sizes,
        prefix=prefix,
        precisions=precisions,
    )


def _limbs(document: Document, k: int) -> NDArray[np.int64]:
    """Split the precisions at the hits, in units of 2**-104, into limbs of 26 bits."""
    hits = [place for place in range(1, k + 1) if document.hit(place)]
    units = sum(document.hits(place) * round(Fraction(2**104, place)) for place in hits)
    return _int64([units // 2**low % 2**26 for low in (0, 26, 52, 78, 104)])
