"""pyxclib, the evaluation of the extreme classification repository."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from daskxmlc.benchmark.peers.peer import K, Peer


class Pyxclib(Peer):
    """Its precision."""

    name = "pyxclib"
    summary = "xclib.evaluation.xc_metrics.precision"
    package = "xclib.evaluation.xc_metrics"

    def value(self, scores: NDArray[np.floating], truth: Any) -> float:  # noqa: ANN401
        """Compute the measure."""
        return float(self.module().precision(scores, truth, k=K)[-1])
