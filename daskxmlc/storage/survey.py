"""What a matrix holds, band by band: counts, extremes, an exact sum, and what is wrong."""

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from daskxmlc.storage.entries import find_repeats
from daskxmlc.storage.matrix import Band, Kind, Rows, SparseRows, Tile
from daskxmlc.storage.places import cell

LOW_BITS = 26


@dataclass(slots=True)
class Found:
    """How often something was found, and the first document and label.

    Attributes
    ----------
    count
        How often.
    first
        Document and label by position; (-1, -1) if there is none.
    """

    count: int = 0
    first: tuple[int, int] = (-1, -1)

    def add(self, count: int, first: tuple[int, int]) -> None:
        """Count more of them; they come in the order of the documents."""
        if count and not self.count:
            self.first = first
        self.count += count


@dataclass(slots=True)
class ExactSum:
    """A sum of float64 values without rounding, equal in any order."""

    parts: dict[int, int] = field(default_factory=dict)

    def add(self, values: NDArray[np.float64]) -> None:
        """Add finite values."""
        if len(values) == 0:
            return
        mantissas, exponents = np.frexp(values)
        whole = (mantissas * 2.0**53).astype(np.int64)
        lowest = int(exponents.min())
        places = exponents - lowest
        # Two halves of each mantissa: sums of 2^26 of them are still exact in float64.
        high = np.bincount(places, weights=(whole >> LOW_BITS).astype(np.float64))
        low = np.bincount(places, weights=(whole & ((1 << LOW_BITS) - 1)).astype(np.float64))
        for place in range(len(high)):
            part = (int(high[place]) << LOW_BITS) + int(low[place])
            exponent = place + lowest - 53
            self.parts[exponent] = self.parts.get(exponent, 0) + part

    def divided_by(self, count: int) -> float:
        """Give the sum divided by a count, rounded once."""
        if not self.parts:
            return 0.0
        lowest = min(self.parts)
        total = sum(part << (exponent - lowest) for exponent, part in self.parts.items())
        return float(Fraction(total) * Fraction(2) ** lowest / count)


@dataclass(slots=True, eq=False)
class Survey:
    """Everything that was seen of a matrix so far.

    Attributes
    ----------
    kind
        Whether the values are scores or a truth.
    by_label
        int64 (labels,): documents in which a label was retrieved, or is true.
    entries
        Stored values: all cells of a dense matrix.
    finite, zeros, not_retrieved
        Values that are finite, 0, and -inf.
    minimum, maximum
        Of the finite values.
    total
        The exact sum; of a dense matrix, of the documents' sums in float64.
    nan, repeats, odd
        NaN, entries that repeat a label of their document, values of a truth other than 0 and 1.
    documents, without_labels, fewest, most
        Documents seen; those with no label retrieved or true; extremes of labels per document.
    """

    kind: Kind
    by_label: NDArray[np.int64]
    entries: int = 0
    finite: int = 0
    zeros: int = 0
    not_retrieved: int = 0
    minimum: float | None = None
    maximum: float | None = None
    total: ExactSum = field(default_factory=ExactSum)
    nan: Found = field(default_factory=Found)
    repeats: Found = field(default_factory=Found)
    odd: Found = field(default_factory=Found)
    documents: int = 0
    without_labels: int = 0
    fewest: int | None = None
    most: int | None = None

    def add(self, band: Band, tile: Tile, rows: Rows) -> NDArray[np.int64]:
        """Look at the values of a band and a tile.

        Returns
        -------
        numpy.ndarray
            int64 (documents,): labels retrieved, or true, in each document.
        """
        values = rows.data if isinstance(rows, SparseRows) else rows
        self.entries += values.size
        if values.size:
            self._add_values(band, tile, rows, values)
        if self.kind == "truth":
            present = values != 0
            wrong = present & (values != 1)
            self._find(self.odd, band, tile, rows, wrong)
        else:
            present = values > -np.inf  # type: ignore[operator]
        if isinstance(rows, SparseRows):
            return self._add_entries(band, rows, present)
        self.by_label[tile.start : tile.stop] += np.count_nonzero(present, axis=0)
        found: NDArray[np.int64] = np.count_nonzero(present, axis=1).astype(np.int64)
        return found

    def add_documents(self, labels: NDArray[np.int64]) -> None:
        """Count documents by how many labels were retrieved or are true in each."""
        if len(labels) == 0:
            return
        self.documents += len(labels)
        self.without_labels += int(np.count_nonzero(labels == 0))
        fewest, most = int(labels.min()), int(labels.max())
        self.fewest = fewest if self.fewest is None else min(self.fewest, fewest)
        self.most = most if self.most is None else max(self.most, most)

    def _add_values(self, band: Band, tile: Tile, rows: Rows, values: NDArray[np.generic]) -> None:
        lowest, highest = float(values.min()), float(values.max())
        self.zeros += values.size - int(np.count_nonzero(values))
        if np.isfinite(lowest) and np.isfinite(highest):
            self._add_finite(values, lowest, highest)
            return
        missing = np.isnan(values)
        self._find(self.nan, band, tile, rows, missing)
        self.not_retrieved += int(np.count_nonzero(values == -np.inf))
        finite = values[np.isfinite(values)]
        if len(finite):
            self._add_finite(finite, float(finite.min()), float(finite.max()))

    def _add_finite(self, values: NDArray[np.generic], lowest: float, highest: float) -> None:
        self.finite += values.size
        self.minimum = lowest if self.minimum is None else min(self.minimum, lowest)
        self.maximum = highest if self.maximum is None else max(self.maximum, highest)
        flat = values.ndim == 1
        sums: NDArray[np.float64] = values.astype(float) if flat else values.sum(1, np.float64)
        # Finite values may have an infinite sum; then each counts by itself.
        self.total.add(sums if np.isfinite(sums).all() else values.ravel().astype(np.float64))

    def _find(
        self, found: Found, band: Band, tile: Tile, rows: Rows, wrong: NDArray[np.bool_]
    ) -> None:
        count = int(np.count_nonzero(wrong))
        if count:
            document, label = cell(band, rows, int(np.argmax(wrong)))
            found.add(count, (document, label + tile.start))

    def _add_entries(
        self, band: Band, rows: SparseRows, present: NDArray[np.bool_]
    ) -> NDArray[np.int64]:
        repeats = find_repeats(rows)
        self.repeats.add(repeats.count, (band.start + repeats.document, repeats.label))
        self.by_label += np.bincount(rows.indices[present], minlength=len(self.by_label))
        before = np.concatenate(([0], np.cumsum(present, dtype=np.int64)))
        return np.diff(before[rows.indptr]).astype(np.int64)
