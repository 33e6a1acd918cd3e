"""Small inputs made after public bug reports, with the values that daskxmlc must give.

Each case names the threads that it comes from. The values are worked by hand.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from daskxmlc.conventions.resolving import resolve
from tests import reference
from tests.variants import Cells, marks

INF = math.inf


@dataclass(frozen=True)
class Case:
    """Documents, what is asked, and what is right.

    `documents` are the documents that a measure averages over, where it is not all of them.
    """

    name: str
    scores: Sequence[Sequence[float]]
    truth: Sequence[set[int]]
    expected: Mapping[str, float]
    documents: Mapping[str, int] = field(default_factory=dict)
    question: Mapping[str, Any] = field(default_factory=dict)
    dtype: str = "float64"
    note: str | None = None

    def __str__(self) -> str:
        return self.name

    @property
    def cells(self) -> Cells:
        return np.array(self.scores, self.dtype)

    @property
    def marks(self) -> Cells:
        return marks(self.truth, len(self.scores[0]))

    @property
    def asked(self) -> dict[str, Any]:
        """Everything that the reference knows, so that every way must agree in everything."""
        measures = self.question.get("measures", (*reference.NAMES, *self.expected))
        return {"threshold": 0.5, **self.question, "measures": tuple(dict.fromkeys(measures))}

    def reference(self, measure: str) -> tuple[float, int]:
        return reference.reference_value(
            measure,
            self.cells.astype(float).tolist(),
            self.marks.tolist(),
            self.asked["threshold"],
            range(len(self.scores[0])),
            resolve("default", self.question.get("rules", {})),
        )


def predicted(*documents: set[int], labels: int) -> list[list[float]]:
    """Give scores of 1 for the labels that are to be predicted, 0 for the others."""
    return [[float(label in each) for label in range(labels)] for each in documents]


def logs(*places: int) -> float:
    """Add the gains of places."""
    return sum(1 / math.log2(place + 1) for place in places)


# scikit-learn #13412, PR #26713, PR #10083; deepgoplus #24; segmentation_models #84.
EMPTY = [[0.3, 0.2, 0.1], [0.1, 0.9, 0.5], [0.8, 0.1, 0.3]], [set[int](), {0}, {0, 1, 2}]
# scikit-learn PR #9773, #7698.
TIES = [[0.5, 0.5, 0.2], [0.9, 0.4, 0.4]], [{0}, {1, 2}]
# elasticsearch PR #154362; neural_graph_collaborative_filtering #34; ranking-metrics-torch #1.
IDEAL = (
    [[0.9, 0.1, 0.1, 0.1, 0.1, 0.8, 0.7, 0.0], [0.0, 0.9, 0.5, 0.1, 0.1, 0.1, 0.1, 0.8]],
    [{0, 1, 2, 3, 4}, {7}],
)
# pyxclib #5; alibaba/nann #2.
ORDER = [[0.1, 0.9, 0.5, 0.7, 0.3]], [{1}]

CASES = (
    # pytorch #16762; xarray PR #10086: +inf is a score like any other.
    Case("D-01-infinite", [[0.9, INF, 0.1, 0.2]], [{1}], {"precision@1": 1.0, "mrr": 1.0}),
    # mxnet #9830; pytorch-lightning #3572; chainer #1739: no mean over chunks.
    # Label 0: TP 2, FP 1, FN 0. Label 1: TP 1, FP 0, FN 1.
    Case(
        "D-02-macro",
        predicted({0}, {0}, {0}, {1}, labels=2),
        [{0}, {0}, {1}, {1}],
        {"macro_f1": (4 / 5 + 2 / 3) / 2, "micro_f1": 6 / 8},
    ),
    Case(
        "D-02-hits",
        predicted({0}, {0}, {0}, {1}, {1}, labels=2),
        [{0}, {0}, {0}, {0}, {0}],
        {"precision@1": 3 / 5},
    ),
    # torchmetrics #300; scikit-learn #23130, #10573; utiml #17: label 3 never occurs.
    # F1 of the labels 1, 2/3, 0, 0; precisions 1, 1, 0, 0; recalls 1, 1/2, 0, 0.
    Case(
        "D-03",
        predicted({0}, {0}, {1, 2}, labels=4),
        [{0}, {0, 1}, {1}],
        {
            "macro_f1": (1 + 2 / 3) / 4,
            "macro_f1_of_averages": 2 * 0.5 * 0.375 / 0.875,
            "micro_f1": 6 / 8,
        },
    ),
    Case(
        "D-04",
        *EMPTY,
        {
            "precision@1": 1 / 2,
            "recall@1": (1 / 3) / 2,
            "ndcg@3": (logs(3) + 1) / 2,
            "one_error": 1 / 2,
            "average_precision": (1 / 3 + 1) / 2,
            "coverage_error": (3 + 3) / 2,
            "coverage": (2 + 2) / 2,
            "ranking_loss": (1 + 0) / 2,
            "subset_accuracy": 1 / 3,
            "hamming_loss": (0 + 3 + 2) / 9,
            "example_accuracy": (1 + 0 + 1 / 3) / 3,
            "example_precision": (1 + 0 + 1) / 3,
            "example_recall": (1 + 0 + 1 / 3) / 3,
            "example_f1": (1 + 0 + 1 / 2) / 3,
        },
        documents=dict.fromkeys(
            (
                *("precision@1", "recall@1", "ndcg@3", "one_error"),
                *("average_precision", "coverage_error", "coverage", "ranking_loss"),
            ),
            2,
        ),
        note="1 of 3 documents has no true label; ranking measures leave it out",
    ),
    Case(
        "D-04-all-documents",
        *EMPTY,
        {"precision@1": 1 / 3, "recall@1": (1 / 3) / 3},
        question={"rules": {"documents": "all"}},
    ),
    Case(
        "D-04-scikit-learn",
        *EMPTY,
        {
            "average_precision": (1 + 1 / 3 + 1) / 3,
            "coverage_error": (0 + 3 + 3) / 3,
            "ranking_loss": (0 + 1 + 0) / 3,
            "example_accuracy": (0 + 0 + 1 / 3) / 3,
            "example_f1": (0 + 0 + 1 / 2) / 3,
        },
        question={"rules": {"empty_rank_losses": "1,0,0,1", "example_empty": "0"}},
    ),
    # A tie goes to the label that stands first.
    Case(
        "D-05",
        *TIES,
        {
            "precision@1": 1 / 2,
            "mrr": 3 / 4,
            # A tie is a full error: one of two pairs, two of two.
            "ranking_loss": (1 / 2 + 1) / 2,
            "coverage_error": (2 + 3) / 2,
            "coverage": (1 + 2) / 2,
            "average_precision": (1 / 2 + (2 / 3 + 2 / 3) / 2) / 2,
        },
    ),
    Case(
        "D-05-half",
        *TIES,
        {"ranking_loss": (1 / 4 + 1) / 2},
        question={"rules": {"ranking_loss_ties": "half"}},
    ),
    Case(
        "D-05-none",
        *TIES,
        {"ranking_loss": (0 + 1) / 2},
        question={"rules": {"ranking_loss_ties": "none"}},
    ),
    Case(
        "D-06-k-3-alone",
        *IDEAL,
        {"ndcg@3": (1 / logs(1, 2, 3) + logs(2)) / 2},
        question={"measures": ["ndcg@3"]},
    ),
    Case(
        "D-06",
        *IDEAL,
        {
            "ndcg@3": (1 / logs(1, 2, 3) + logs(2)) / 2,
            "ndcg@5": (logs(1, 4, 5) / logs(1, 2, 3, 4, 5) + logs(2)) / 2,
            "ndcg@8": (logs(1, 4, 5, 6, 7) / logs(1, 2, 3, 4, 5) + logs(2)) / 2,
        },
    ),
    # torchmetrics #886, PR #3406; LibRecommender #41; turicreate #2886; pecos #41.
    Case(
        "D-07-k-beyond-the-labels",
        [[0.9, 0.5, 0.1]],
        [{0, 2}],
        {
            "precision@3": 2 / 3,
            "precision@5": 2 / 5,
            "recall@3": 1.0,
            "recall@5": 1.0,
            "ndcg@5": logs(1, 3) / logs(1, 2),
        },
    ),
    Case(
        "D-07-one-label",
        [[0.7]],
        [{0}],
        {
            "precision@1": 1.0,
            "recall@1": 1.0,
            "one_error": 0.0,
            "average_precision": 1.0,
            "ranking_loss": 0.0,
            "coverage_error": 1.0,
            "coverage": 0.0,
        },
    ),
    Case(
        "D-07-recall",
        [[0.9, 0.1, 0.2, 0.3, 0.4]],
        [{0, 1, 2, 3}],
        {"precision@1": 1.0, "recall@1": 1 / 4},
    ),
    Case("D-08", *ORDER, {"precision@1": 1.0, "precision@3": 1 / 3, "ndcg@3": 1.0}),
    Case("D-08-k-1-alone", *ORDER, {"precision@1": 1.0}, question={"measures": ["precision@1"]}),
    # numpy #7930; xarray #1346, #2370; trec_eval #34: no score is narrowed.
    Case("D-11-wide", [[0.5, 0.5 + 1e-9]], [{1}], {"precision@1": 1.0}),
    Case(
        "D-11-threshold",
        [[0.2]],
        [{0}],
        {"micro_f1": 0.0, "micro_recall": 0.0, "hamming_loss": 1.0},
        question={"threshold": 0.2},
        dtype="float16",
    ),
    # xarray #4930, #5475: a stored zero is a score.
    Case(
        "D-12",
        [[0.0, 0.4, 0.0], [0.2, 0.0, 0.1]],
        [{0}, {1}],
        {"precision@1": 0.0, "mrr": 5 / 12, "ranking_loss": 1.0, "coverage_error": 3.0},
    ),
    # filesystem_spec #255; xarray #8842: hits 1, 1, 0, 1.
    Case(
        "D-13",
        [[0.9, 0.1], [0.2, 0.8], [0.7, 0.3], [0.4, 0.6]],
        [{0}, {1}, {1}, {1}],
        {"precision@1": 3 / 4},
    ),
    # scikit-learn #10410; skll #279; LibMultiLabel-Old-Archive PR #135: label 3 was never scored.
    # Pairs in the wrong order: (3, 1) and (3, 2) of four, all three.
    Case(
        "D-15",
        [[0.9, 0.1, 0.2, -INF], [0.3, 0.6, 0.1, -INF]],
        [{0, 3}, {3}],
        {
            "precision@1": 1 / 2,
            "recall@1": (1 / 2 + 0) / 2,
            "coverage_error": 4.0,
            "coverage": 3.0,
            "ranking_loss": (1 / 2 + 1) / 2,
            "average_precision": ((1 + 2 / 4) / 2 + 1 / 4) / 2,
        },
    ),
    # dask #3596; distributed #2297: the least of the case on memory. Label i % 6 scores 1, all
    # others 0; it is true in even documents, the next one in odd documents.
    Case(
        "D-16",
        np.eye(6).tolist(),
        [{0}, {2}, {2}, {4}, {4}, {0}],
        {
            "precision@1": 1 / 2,
            "one_error": 1 / 2,
            "micro_f1": 1 / 2,
            "ranking_loss": (0 + 1) / 2,
            "coverage_error": (1 + 6) / 2,
            "coverage": (0 + 5) / 2,
            "average_precision": (1 + 1 / 6) / 2,
        },
    ),
    # zarr-java PR #95; acquire-zarr #89; z5 #16; zarr-python #2408.
    Case(
        "D-19",
        [[0.9, 0.1, 0.8], [0.2, 0.7, 0.3], [0.4, 0.5, 0.6]],
        [{0}, {1}, {2}],
        {"precision@1": 1.0},
    ),
)
