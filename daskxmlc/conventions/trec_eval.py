"""The conventions of trec_eval."""

from typing import ClassVar

from daskxmlc.conventions.convention import Convention, Rules


class TrecEval(Convention):
    """trec_eval 10.0 with ``-c``: a document is a topic, a label a document of the collection.

    Every document of the truth counts as one that stands in the qrels.
    """

    name: ClassVar[str] = "trec-eval"
    summary: ClassVar[str] = "trec_eval -c, if every document stands in the qrels"

    def rules(self) -> Rules:
        """Give the value of every rule."""
        return Rules(
            ties="id-descending",
            documents="all",
            map_denominator="true",
            mrr_empty="0",
            threshold_rule="stored",
            absent="not-retrieved",
            example_empty="0",
        )
