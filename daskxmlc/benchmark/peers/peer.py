"""What a peer promises: a value of scores in memory, computed its own way on one core."""

from abc import ABC, abstractmethod
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

K = 5


class Peer(ABC):
    """A tool that evaluates. One file a peer; found by its folder.

    Peers are never needed: a package is looked for when its peer is measured.

    Attributes
    ----------
    name, summary
        What results call it, and what exactly it does.
    package
        What has to be installed; empty if daskxmlc brings it.
    measure
        What it computes.
    everything
        Whether it computes all ranking and thresholded measures at once, and can do no less.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    package: ClassVar[str] = ""
    measure: ClassVar[str] = f"precision@{K}"
    everything: ClassVar[bool] = False

    def is_installed(self) -> bool:
        """Tell whether its package can be imported."""
        return not self.package or find_spec(self.package.partition(".")[0]) is not None

    def prepare(self, truth: "csr_matrix") -> Any:  # noqa: ANN401  # whatever the peer takes
        """Give the truth in the form that the peer takes; not timed."""
        return truth

    @abstractmethod
    def value(self, scores: NDArray[np.floating], truth: Any) -> float:  # noqa: ANN401
        """Compute the measure.

        Parameters
        ----------
        scores
            (documents, labels).
        truth
            What `prepare` gave.
        """

    def module(self) -> ModuleType:
        """Import its package."""
        return import_module(self.package)


def precision_of(found: NDArray[np.integer], truth: "csr_matrix") -> float:
    """Give the precision of the labels that were found.

    Parameters
    ----------
    found
        (documents, k): labels.
    truth
        (documents, labels): ones where true.
    """
    rows = np.arange(len(found))[:, None]
    return float(np.asarray(truth[rows, found].todense()).mean())
