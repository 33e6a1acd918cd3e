"""Results as values and text."""

import csv
import io
import json
import math
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daskxmlc.errors import DataError, UsageError
from daskxmlc.report.form import form_by_ending, forms
from daskxmlc.report.layout import number, short_names
from daskxmlc.report.per_label import write_per_label
from daskxmlc.report.result import Row
from tests.results import NAMES, RESULT, make_result, rows_in

UNDEFINED = replace(RESULT, rows=(Row("classification", "all", "mrr", math.nan, 0, 5),))


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
