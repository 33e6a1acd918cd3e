"""Results as values, text and saved tables."""

import csv
import hashlib
import io
import json
import math
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from daskxmlc.conventions.convention import Rules
from daskxmlc.conventions.resolving import record
from daskxmlc.errors import DaskxmlcError, DataError, UsageError
from daskxmlc.measures.asking import parse
from daskxmlc.report.form import form_by_ending, forms
from daskxmlc.report.layout import number, short_names
from daskxmlc.report.merging import merge_tables
from daskxmlc.report.per_label import write_per_label
from daskxmlc.report.recomputing import recompute
from daskxmlc.report.result import Result, Row
from daskxmlc.report.rows import rows_of
from daskxmlc.report.saved_tables import COUNTS, HEAD, load_tables
from daskxmlc.report.writing import check_file, whole_file, whole_folder, write_text
from daskxmlc.tables.tally import Tally, ViewTables
from tests.reference import Scores, Truth, reference_tables

MEASURES = ("precision@1", "ndcg@3", "mrr", "micro_f1", "macro_f1", "example_f1", "hamming_loss")
NAMES = np.array(["a,b", 'say "no"', "two\nlines", "=1+1", "ä"])
VIEWS = {("classification", "all"): [0, 1, 2, 3, 4], ("per-level", "level-1"): [1, 3]}

# Label 1 is hit at place 1 of the first document, label 3 at place 2 of the second; at 0.5,
# labels 1 and 4, 0 and 3, and 0 are predicted. Label 2 is dead.
SCORES: Scores = [
    [0.1, 0.9, None, 0.2, 0.6],
    [0.8, 0.3, 0.2, 0.7, None],
    [0.5, None, None, None, 0.4],
]
TRUTH: Truth = [[0, 1, 0, 0, 0], [0, 0, 0, 1, 1], [0, 0, 0, 0, 0]]


def make_result(
    scores: Scores = SCORES,
    truth: Truth = TRUTH,
    *,
    names: Sequence[str] | None = NAMES.tolist(),
    threshold: float = 0.5,
    places: int = 3,
    measures: Sequence[str] = MEASURES,
) -> Result:
    """Count by the definitions."""
    largest = max((sum(row) for row in truth), default=0)
    views = tuple(
        ViewTables(
            task,
            view,
            np.array(labels),
            tuple(reference_tables(scores, truth, threshold, labels, places, largest).values()),
        )
        for (task, view), labels in VIEWS.items()
    )
    tally = Tally(len(truth), views)
    return Result(
        scores="runs/a.npz",
        truth="truth.npz",
        conventions=record("default", Rules()),
        threshold=threshold,
        documents=len(truth),
        labels=5,
        notes=("1 document has no true label; left out of ranking measures",),
        rows=rows_of(tally, parse(measures, ()), Rules()),
        tally=tally,
        label_ids=None if names is None else np.array(names),
    )


RESULT = make_result()
UNDEFINED = replace(RESULT, rows=(Row("classification", "all", "mrr", math.nan, 0, 5),))


def rows_in(text: str) -> list[dict[str, object]]:
    rows = json.loads(text)["results"]
    assert isinstance(rows, list)
    return rows


def test_a_value_is_found_by_its_measure_alias_or_full_name() -> None:
    assert RESULT["precision@1"] == 0.5
    assert RESULT["P@1"] == 0.5
    assert RESULT["per-level", "level-1", "precision@1"] == 1.0


@pytest.mark.parametrize(
    ("key", "cure"),
    [
        ("precision@2", "did you mean precision@1"),
        ("nothing like it", "there are: precision@1, ndcg@3"),
        (("per-level", "level-9", "mrr"), "there are: classification all, per-level level-1"),
    ],
)
def test_a_value_that_is_not_there_is_a_key_error_with_a_cure(
    key: str | tuple[str, str, str], cure: str
) -> None:
    with pytest.raises(KeyError, match=re.escape(cure)):
        RESULT[key]


def test_the_json_has_the_documented_keys_in_their_order() -> None:
    found = json.loads(RESULT.to_json())
    assert list(found) == [
        *("daskxmlc", "scores", "truth", "conventions", "threshold"),
        *("documents", "labels", "notes", "results"),
    ]
    assert found["conventions"]["name"] == "default"
    assert list(found["results"][0]) == ["task", "view", "measure", "value", "documents", "labels"]
    dead = {(row["view"], row["measure"]): row.get("dead_labels") for row in found["results"]}
    assert dead["all", "macro_f1"] == 1
    assert dead["level-1", "macro_f1"] == 0
    assert dead["all", "precision@1"] is None


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_value_in_json_and_csv_reads_back_to_the_same_number(value: float) -> None:
    result = replace(RESULT, rows=(replace(RESULT.rows[0], value=value),))
    assert rows_in(result.to_json())[0]["value"] == value
    (row,) = csv.DictReader(io.StringIO(forms()["csv"].text([result])))
    assert float(row["value"]) == value


def test_an_undefined_value_is_null_in_json_and_empty_elsewhere() -> None:
    assert rows_in(UNDEFINED.to_json())[0]["value"] is None
    (row,) = csv.DictReader(io.StringIO(forms()["csv"].text([UNDEFINED])))
    assert row["value"] == ""
    assert re.search(r"^mrr$", forms()["table"].text([UNDEFINED]), re.MULTILINE)
    assert r"mrr &  \\" in forms()["latex"].text([UNDEFINED])
    assert "nan" not in "".join(form.text([UNDEFINED]).lower() for form in forms().values())


@pytest.mark.parametrize("name", list(forms()))
def test_every_form_writes_no_rows_one_result_and_several(name: str) -> None:
    form = forms()[name]
    for results in ([replace(RESULT, rows=())], [RESULT], [RESULT, UNDEFINED, RESULT]):
        text = form.text(results)
        assert text.endswith("\n")
        if results[0].rows:
            assert "precision@1" in text


def test_no_two_forms_have_an_ending_in_common() -> None:
    endings = [ending for form in forms().values() for ending in form.endings]
    assert len(set(endings)) == len(endings)
    for form in forms().values():
        assert all(form_by_ending(f"dir.x/result{e.upper()}") is form for e in form.endings)
    with pytest.raises(UsageError, match=r"'result\.doc' names no form; it may be \.csv"):
        form_by_ending("result.doc")


@given(
    views=st.lists(
        st.text("abc -_level123/\n,", min_size=1, max_size=60), min_size=1, max_size=30, unique=True
    ),
    value=st.floats(0, 99999),
)
def test_a_plain_table_is_never_wider_than_eighty_columns(views: list[str], value: float) -> None:
    rows = [
        Row("per-level", view, measure, value, 4_000_000, 3_000_000)
        for view in views
        for measure in ("macro_f1_of_averages", "precision@1", "weighted_precision")
    ]
    text = forms()["table"].text([replace(RESULT, rows=tuple(rows))])
    assert max(map(len, text.splitlines())) <= 80
    assert text.count(number(value)) >= len(rows)


def test_a_plain_table_shows_documents_where_they_change() -> None:
    # ndcg@3 (1 + 0.6309 / 1.6309) / 2, micro 2 * 2 / (5 + 3), macro (1 + 1) / 5,
    # example (2/3 + 2/4 + 0) / 3, 1 + 2 + 1 of 15 pairs are wrong
    text = forms()["table"].text([replace(RESULT, notes=())])
    assert (
        text
        == """\
scores       runs/a.npz
truth        truth.npz
documents    3
labels       5
threshold    0.5
conventions  default

classification     all
----------------------
labels               5
dead labels          1
documents            2
precision@1     0.5000
ndcg@3          0.6934
mrr             0.7500
documents            3
micro_f1        0.5000
macro_f1        0.4000
example_f1      0.3889
hamming_loss    0.2667

per-level     level-1
---------------------
labels              2
dead labels         0
documents           2
precision@1    1.0000
ndcg@3         1.0000
mrr            1.0000
documents           3
micro_f1       1.0000
macro_f1       1.0000
example_f1     1.0000
hamming_loss   0.0000
"""
    )


def test_several_results_stand_side_by_side_under_short_names() -> None:
    other = replace(UNDEFINED, scores="runs/b.npz", notes=("half of it",))
    text = forms()["table"].text([RESULT, other])
    assert re.search(r"^classification +a +b$", text, re.MULTILINE)
    assert re.search(r"^per-level level-1 +a$", text, re.MULTILINE) is None
    assert "note: b: half of it" in text


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["runs/match/test.zarr", "runs/dexa/test.zarr"], ("match", "dexa")),
        (["a.npz", "b.npz"], ("a", "b")),
        (["a.npz", "a.npy"], ("a.npz", "a.npy")),
        (["same", "same"], ("same (1)", "same (2)")),
        (["x/a/s", "x/b/c/s"], ("a", "b/c")),
        (["one"], ("one",)),
    ],
)
def test_a_short_name_is_what_tells_paths_apart(paths: list[str], names: tuple[str, ...]) -> None:
    assert short_names(paths) == names


def test_small_values_are_not_shown_as_zero() -> None:
    assert [number(v) for v in (0.00005, 0.0, 0.25, 10000.5)] == [
        *("5.00e-05", "0.0000", "0.2500", "10000.5000"),
    ]


def test_markup_in_names_is_escaped() -> None:
    row = Row("classification", "50% of_{x} & |y|", "mrr", 0.5, 1, 1)
    result = replace(RESULT, rows=(row,), scores="a_b\n%c", notes=())
    latex = forms()["latex"].text([result])
    assert r"50\% of\_\{x\} \& \textbar{}y\textbar{}" in latex
    assert "% scores: a_b %c" in latex.splitlines()
    markdown = forms()["markdown"].text([result])
    assert r"50% of\_{x} & \|y\|" in markdown
    lines = [line for line in markdown.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines} == {3}


def test_a_latex_table_has_the_rules_of_booktabs_and_even_lines() -> None:
    lines = forms()["latex"].text([RESULT]).splitlines()
    assert [line for line in lines if line.endswith("rule")] == [
        *(r"\toprule", r"\midrule", r"\bottomrule") * 2
    ]
    assert {line.count("&") for line in lines if line.endswith(r"\\")} == {1}


def test_a_data_frame_has_a_line_for_each_value() -> None:
    frame = RESULT.to_dataframe()
    assert list(frame.columns) == [
        *("task", "view", "measure", "value", "documents", "labels", "dead_labels"),
    ]
    assert frame["value"].tolist() == [row.value for row in RESULT]
    assert frame["dead_labels"].isna().tolist() == [row.dead_labels is None for row in RESULT]


def test_a_dataset_holds_every_value_at_its_view_and_measure() -> None:
    dataset = RESULT.to_xarray()
    assert dataset["value"].dims == ("view", "measure")
    for row in RESULT:
        assert float(dataset["value"].sel(view=row.view, measure=row.measure)) == row.value
        assert int(dataset["documents"].sel(view=row.view, measure=row.measure)) == row.documents
    assert dataset["task"].values.tolist() == ["classification", "per-level"]
    assert dataset["labels"].values.tolist() == [5, 2]


def test_the_label_report_has_counts_and_values_worked_by_hand(tmp_path: Path) -> None:
    # The first document is predicted b and ä, the second a and =1+1, the third a.
    write_per_label(RESULT, tmp_path / "labels.csv")
    with (tmp_path / "labels.csv").open(newline="", encoding="utf-8") as file:
        header, *lines = csv.reader(file)
    assert header == ["label", "true", "predicted", "both", "precision", "recall", "f1"]
    assert lines == [
        ["a,b", "0", "2", "0", "0.0", "0.0", "0.0"],
        ['say "no"', "1", "1", "1", "1.0", "1.0", "1.0"],
        ["two\nlines", "0", "0", "0", "0.0", "0.0", "0.0"],
        ["=1+1", "1", "1", "1", "1.0", "1.0", "1.0"],
        ["ä", "1", "1", "0", "0.0", "0.0", "0.0"],
    ]
    assert RESULT.per_label()["label"].tolist() == NAMES.tolist()
    assert make_result(names=None).per_label()["label"].tolist() == ["0", "1", "2", "3", "4"]


def test_without_counts_of_labels_there_is_no_label_report() -> None:
    for result in (replace(RESULT, tally=None), replace(RESULT, threshold=None)):
        with pytest.raises(DataError, match="labels were not counted one by one"):
            result.per_label()


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
    "of format 2; this version reads 1": lambda folder: _edit(folder, format=2),
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


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    write_text(path, "former")

    def fail() -> None:
        with whole_file(path) as file:
            file.write("half of")
            file.flush()
            assert path.read_text(encoding="utf-8") == "former"
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert path.read_text(encoding="utf-8") == "former"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    def fail() -> None:
        with whole_folder(tmp_path / "tables", mark="mark") as folder:
            (folder / "mark").touch()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert list(tmp_path.iterdir()) == []


def test_a_file_behind_a_link_is_replaced_and_the_link_stays(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_text(tmp_path / "link", "text")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text(encoding="utf-8") == "text"


def test_a_new_file_has_the_usual_permissions(tmp_path: Path) -> None:
    write_text(tmp_path / "ours", "")
    (tmp_path / "usual").touch()
    assert os.stat(tmp_path / "ours").st_mode == os.stat(tmp_path / "usual").st_mode  # noqa: PTH116


def test_a_place_where_no_file_can_be_written_is_refused_beforehand(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--output: there is no folder"):
        check_file(tmp_path / "missing/result.json", what="--output")
    with pytest.raises(UsageError, match="is a folder"):
        check_file(tmp_path, what="--output")
    check_file("/dev/stdout", what="--output")
