"""Saved tables give the same result again, merge to the whole, and never lie."""

import hashlib
import io
import json
import math
import re
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from daskxmlc.errors import DaskxmlcError, DataError, UsageError
from daskxmlc.report.merging import merge_tables
from daskxmlc.report.recomputing import recompute
from daskxmlc.report.result import Result
from daskxmlc.report.saved_tables import COUNTS, HEAD, load_tables
from tests.results import NAMES, RESULT, make_result, rows_in


@pytest.mark.parametrize("names", [NAMES.tolist(), None])
def test_saved_tables_load_to_the_same_result(tmp_path: Path, names: list[str] | None) -> None:
    result = make_result(names=names)
    result.save_tables(tmp_path / "tables")
    loaded = load_tables(tmp_path / "tables")
    assert loaded.to_json() == result.to_json()
    assert loaded == result
    assert loaded.tally is not None
    assert result.tally is not None
    for mine, theirs in zip(loaded.tally.views, result.tally.views, strict=True):
        assert mine.tables == theirs.tables
        assert mine.labels.tolist() == theirs.labels.tolist()
    assert np.array_equal(loaded.per_label(), result.per_label())
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["tables", HEAD, COUNTS]


PAIRS = st.tuples(st.sampled_from([None, 0.1, 0.5, 0.9, -math.inf]), st.integers(0, 1))


@given(
    st.lists(st.lists(PAIRS, min_size=5, max_size=5), min_size=2, max_size=8),
    st.data(),
)
def test_a_test_set_split_in_parts_and_merged_gives_the_same_text(
    documents: list[list[tuple[float | None, int]]], data: st.DataObject
) -> None:
    scores = [[score for score, _ in document] for document in documents]
    truth = [[true for _, true in document] for document in documents]
    cut = data.draw(st.integers(1, len(documents) - 1))
    with TemporaryDirectory() as folder:
        one, two, both = (Path(folder) / name for name in ("one", "two", "both"))
        make_result(scores[:cut], truth[:cut]).save_tables(one)
        make_result(scores[cut:], truth[cut:]).save_tables(two)
        merged = merge_tables([one, two])
        merged.save_tables(both)
        assert load_tables(both).to_json() == merged.to_json()
    assert rows_in(merged.to_json()) == rows_in(make_result(scores, truth).to_json())
    assert merged.documents == len(documents)


OTHERS = {
    "their threshold differ; 0.5 and 0.4": make_result(threshold=0.4),
    "their largest k differ; 3 and 2": make_result(places=2, measures=["mrr"]),
    "their labels or views differ": make_result(names=["b", "a", "c", "d", "e"]),
    "their number of labels differ; 5 and 6": replace(RESULT, labels=6),
    "their conventions differ; documents with-labels and all": replace(
        RESULT, conventions={**RESULT.conventions, "documents": "all"}
    ),
}


@pytest.mark.parametrize("message", OTHERS)
def test_tables_that_do_not_fit_are_not_merged(tmp_path: Path, message: str) -> None:
    RESULT.save_tables(tmp_path / "one")
    OTHERS[message].save_tables(tmp_path / "two")
    with pytest.raises(DataError, match=re.escape(message)) as caught:
        merge_tables([tmp_path / "one", tmp_path / "two"])
    assert "\n" not in str(caught.value)


def test_the_same_tables_are_not_merged_twice(tmp_path: Path) -> None:
    RESULT.save_tables(tmp_path / "one")
    (tmp_path / "two").symlink_to(tmp_path / "one")
    with pytest.raises(UsageError, match="is given twice"):
        merge_tables([tmp_path / "one", tmp_path / "two"])
    with pytest.raises(UsageError, match="no saved tables are given"):
        merge_tables([])


def _flip(folder: Path) -> None:
    packed = bytearray((folder / COUNTS).read_bytes())
    packed[len(packed) // 2] ^= 1
    (folder / COUNTS).write_bytes(packed)


def _edit(folder: Path, **changes: object) -> None:
    head = json.loads((folder / HEAD).read_text(encoding="utf-8"))
    (folder / HEAD).write_text(json.dumps(head | changes), encoding="utf-8")


def _pickle(folder: Path) -> None:
    packed = io.BytesIO()
    np.savez(packed, labels=np.array([{}], dtype=object))
    (folder / COUNTS).write_bytes(packed.getvalue())
    _edit(folder, checksum=hashlib.sha256(packed.getvalue()).hexdigest())


BREAKS = {
    "no saved tables": lambda folder: (folder / HEAD).unlink(),
    "tables.json cannot be read": lambda folder: (folder / HEAD).write_text("{", encoding="utf-8"),
    "tables.npz cannot be read": lambda folder: (folder / COUNTS).unlink(),
    "tables.npz is damaged": _flip,
    "of format 1; this version reads 2": lambda folder: _edit(folder, format=1),
    "does not say what tables.npz holds": lambda folder: _edit(folder, views=[{}]),
    "are of two runs": lambda folder: _edit(folder, labels=7),
    "tables.npz holds more than numbers": _pickle,
}


@pytest.mark.parametrize("message", BREAKS)
def test_broken_saved_tables_are_one_line(tmp_path: Path, message: str) -> None:
    RESULT.save_tables(tmp_path / "tables")
    BREAKS[message](tmp_path / "tables")
    with pytest.raises(DataError, match=re.escape(message)) as caught:
        load_tables(tmp_path / "tables")
    assert str(caught.value).startswith(f"{tmp_path}/tables: ")
    assert "\n" not in str(caught.value)


def test_saved_tables_are_replaced_and_other_folders_are_not(tmp_path: Path) -> None:
    make_result(threshold=0.4).save_tables(tmp_path / "tables")
    RESULT.save_tables(tmp_path / "tables")
    assert load_tables(tmp_path / "tables").threshold == 0.5
    with pytest.raises(UsageError, match="holds other files"):
        RESULT.save_tables(tmp_path)
    with pytest.raises(DataError, match="has no counts"):
        replace(RESULT, tally=None).save_tables(tmp_path / "new")
    assert [path.name for path in tmp_path.iterdir()] == ["tables"]


def test_other_ranks_measures_and_rules_follow_from_the_counts() -> None:
    other = recompute(RESULT, measures=["precision", "mrr"], ks=[2], rules={"documents": "all"})
    assert [row.measure for row in other][:2] == ["precision@2", "mrr"]
    assert other["precision@2"] == pytest.approx(1 / 3)
    assert other.conventions["changed"] == "documents=all"
    assert recompute(RESULT).rows == RESULT.rows
    assert [row.measure for row in recompute(RESULT, ks=[1, 2])][:4] == [
        *("precision@1", "precision@2", "ndcg@1", "ndcg@2"),
    ]


@pytest.mark.parametrize(
    ("result", "asked", "message"),
    [
        (RESULT, {"rules": {"threshold_rule": "gt"}}, "was decided when the scores were counted"),
        (RESULT, {"rules": {"ties": "last"}}, "ties was decided when the scores were counted"),
        (RESULT, {"rules": {"rank_ties": "placed"}}, "rank_ties was decided when the scores"),
        (RESULT, {"rules": {"absent": "0.0"}}, "absent was decided when the scores were counted"),
        (RESULT, {"measures": ["precision@4"]}, "precision"),
        (replace(RESULT, threshold=None), {"measures": ["micro_f1"]}, "needs a threshold"),
        (replace(RESULT, tally=None), {}, "has no counts"),
    ],
)
def test_what_the_counts_do_not_reach_is_refused(
    result: Result,
    asked: dict[str, list[str]],
    message: str,
) -> None:
    with pytest.raises(DaskxmlcError, match=message):
        recompute(result, **asked)  # type: ignore[arg-type]
