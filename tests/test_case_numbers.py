"""Cases of counts that are too large for a short accumulator, after bug reports."""

from pathlib import Path

import dask.array as da
import numpy as np
import pytest

import daskxmlc
from tests.variants import evaluate_every_way, write_dense, write_sparse, write_truth

# numpy #7930; xarray #1346, #2370; scikit-learn PR #34817; trec_eval #34; mteb #4932.


def test_a_mean_over_seventy_thousand_float16_documents_is_exact(tmp_path: Path) -> None:
    # Seen: Dask's mean of a float16 vector with 52,500 ones in 70,000 is 0.0.
    documents, hits = 70_000, 52_500
    cells = np.tile(np.array([0.9, 0.4, 0.1], np.float16), (documents, 1))
    true = np.zeros((documents, 3), np.int8)
    true[:hits, 0] = 1
    true[hits:, 2] = 1
    truth = write_truth(tmp_path / "truth.zarr", true)
    ways = [
        write_dense(
            tmp_path / f"{height}-{width}.zarr", cells, chunk_documents=height, chunk_labels=width
        )
        for height, width in ((1000, 3), (1000, 1), (70_000, 3), (70_000, 2))
    ]
    ways.append(write_sparse(tmp_path / "sparse.zarr", cells, chunk_entries=5000))
    result = evaluate_every_way(iter(ways), truth)
    assert result["precision@1"] == 0.75
    assert result["micro_recall"] == 0.75
    assert result["mrr"] == pytest.approx(0.75 + 0.25 / 3, abs=1e-15)


def test_true_positives_are_counted_beyond_the_whole_numbers_of_float32() -> None:
    # In float32, 2**24 + 1 is 2**24.
    chunk = 2**24
    scores = da.ones((chunk + 8, 1), dtype="int8", chunks=((chunk, *(1,) * 8), 1))
    result = daskxmlc.evaluate(scores, np.ones(scores.shape, np.int8), measures=["micro_f1"])
    (counts,) = result.per_label().itertuples()
    assert (counts.both, counts.predicted, counts.true) == (16_777_224,) * 3
    assert result["micro_f1"] == 1
