"""scikit-learn, whose one measure of the best k labels is nDCG."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from daskxmlc.benchmark.peers.peer import K, Peer

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


class ScikitLearn(Peer):
    """Its nDCG, ties broken as it does when told that there are none."""

    name = "scikit-learn"
    summary = "sklearn.metrics.ndcg_score, ignore_ties=True"
    package = "sklearn.metrics"
    measure = f"ndcg@{K}"

    def prepare(self, truth: "csr_matrix") -> Any:  # noqa: ANN401
        """Write the truth out in full."""
        return truth.toarray()

    def value(self, scores: NDArray[np.floating], truth: Any) -> float:  # noqa: ANN401
        """Compute the measure."""
        return float(self.module().ndcg_score(truth, scores, k=K, ignore_ties=True))
