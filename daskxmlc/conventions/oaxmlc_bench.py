"""The conventions of OAXMLC-Bench."""

from collections.abc import Mapping
from typing import ClassVar

from daskxmlc.conventions.convention import Convention, Rules


class OaxmlcBench(Convention):
    """OAXMLC-Bench, commit b1e3d3e, without the rounding of its float32 sums.

    Its macro averages leave out the root of the taxonomy, so that a truth with a column for the
    root is refused where the taxonomy is known. "R@k" in its tables is `reciprocal_ranked_sum@k`.
    """

    name: ClassVar[str] = "oaxmlc-bench"
    summary: ClassVar[str] = "OAXMLC-Bench, of a truth without a column for the taxonomy's root"
    root_is_label: ClassVar[bool] = False
    lacks: ClassVar[Mapping[str, str]] = {
        "f1@k": "averages over its batches, which are not known",
    }

    def rules(self) -> Rules:
        """Give the value of every rule."""
        return Rules(
            rank_ties="placed",
            documents="at-least-k",
            ndcg_ideal="k",
            map_denominator="hits",
            mrr_empty="0",
            threshold_rule="gt",
            absent="0.0",
            macro_f1="f1-of-averages",
        )
