"""daskxmlc itself, as its peers are measured: in memory, on one core."""

from typing import TYPE_CHECKING, Any, ClassVar

import dask.config
import numpy as np
from numpy.typing import NDArray

from daskxmlc.benchmark.peers.peer import K, Peer
from daskxmlc.evaluation.conductor import evaluate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from daskxmlc.report.result import Result

OURS = "daskxmlc"


class Ours(Peer):
    """The same measure as the peers'."""

    name = OURS
    summary = f"daskxmlc.evaluate with the measure precision@{K}"
    measures: "ClassVar[Sequence[str]]" = (f"precision@{K}",)
    ks: "ClassVar[Sequence[int]]" = (K,)

    def value(self, scores: NDArray[np.floating], truth: Any) -> float:  # noqa: ANN401
        """Compute the measure."""
        with dask.config.set(scheduler="synchronous"):
            result: Result = evaluate(
                scores, truth, measures=self.measures, ks=self.ks, threshold=0.5
            )
        return float(result[f"precision@{K}"])


class OursAll(Ours):
    """Everything that an evaluation gives by default."""

    name = f"{OURS}, all measures"
    summary = "daskxmlc.evaluate with its default measures, k = 1, 2, 3, 5"
    everything = True
    measures = ()
    ks = (1, 2, 3, 5)
