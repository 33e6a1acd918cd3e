"""napkinXC's measures."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from daskxmlc.benchmark.peers.peer import K, Peer


class NapkinXC(Peer):
    """Its precision."""

    name = "napkinxc"
    summary = "napkinxc.metrics.precision_at_k"
    package = "napkinxc.metrics"

    def value(self, scores: NDArray[np.floating], truth: Any) -> float:  # noqa: ANN401
        """Compute the measure."""
        return float(self.module().precision_at_k(truth, scores, k=K)[-1])
