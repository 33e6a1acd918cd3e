"""Texts: what each format means, and what each refuses."""

import pickle
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from daskxmlc.errors import DataError
from daskxmlc.storage import lines
from daskxmlc.storage.csr_npz import CsrNpzFormat
from daskxmlc.storage.label_lines import LabelLinesFormat
from daskxmlc.storage.lines import index_lines
from daskxmlc.storage.matrix import Band, Format, Reading
from daskxmlc.storage.names import read_names
from daskxmlc.storage.npy_dense import NpyDenseFormat
from daskxmlc.storage.opening import open_matrix
from daskxmlc.storage.parsing import Fault, parse_pairs
from daskxmlc.storage.score_mat import ScoreMat
from daskxmlc.storage.xmc_text import XmcTextFormat
from tests.entries import entries, whole

TRUTH = Reading(kind="truth")
SCORES = Reading()

SPLIT = "3 5\n0:1 2:1\n\n4:0.5 1:2\n"
DATA = "4 3 6\n0,2 1:0.5 2:1\n 0:1.0 1:0.125\n5 2:2\n\n"


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str | bytes], str]:
    def write_file(content: str | bytes) -> str:
        path = tmp_path / "matrix.txt"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    return write_file


# The repository's text


@pytest.mark.parametrize("ends", ["\n", "\r\n", " \n"])
@pytest.mark.parametrize("last_line_ends", [True, False])
def test_a_blank_line_is_a_document(
    write: Callable[[str], str],
    ends: str,
    last_line_ends: bool,
) -> None:
    text = SPLIT if last_line_ends else SPLIT.removesuffix("\n")
    matrix = XmcTextFormat().open(write(text.replace("\n", ends)), SCORES)
    assert matrix.shape == (3, 5)
    assert whole(matrix) == [(0, 0, 1.0), (0, 2, 1.0), (2, 4, 0.5), (2, 1, 2.0)]
    assert matrix.dtype == np.float64
    assert (matrix.absent, matrix.score_kind) == ("not-retrieved", "unknown")


def test_a_data_file_has_its_labels_before_the_features(write: Callable[[str], str]) -> None:
    matrix = XmcTextFormat().open(write(DATA), TRUTH)
    assert matrix.shape == (4, 6)
    assert whole(matrix) == [(0, 0, 1), (0, 2, 1), (2, 5, 1)]


def test_a_data_file_holds_no_scores(write: Callable[[str], str]) -> None:
    with pytest.raises(DataError, match=r"line 1: .* true labels and no scores"):
        XmcTextFormat().open(write(DATA), SCORES)


def test_relevance_below_zero_is_not_true(write: Callable[[str], str]) -> None:
    matrix = XmcTextFormat().open(write("1 4\n0:-1 1:0 2:0.2 3:3\n"), TRUTH)
    assert whole(matrix) == [(0, 0, 0), (0, 1, 0), (0, 2, 0.2), (0, 3, 3)]


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("1.2e-05", 1.2e-05),
        ("inf", np.inf),
        ("-inf", -np.inf),
        ("-Infinity", -np.inf),
        ("1.", 1.0),
        (".5", 0.5),
        ("+0.25", 0.25),
        ("1E3", 1000.0),
        ("0.1234567890123456789", 0.1234567890123456789),
        ("1e400", np.inf),
        ("123456789012345678901234567890e-30", 0.12345678901234568),
    ],
)
def test_every_spelling_of_a_number_is_its_nearest_float64(word: str, value: float) -> None:
    assert parse_pairs(f"0:{word}".encode(), 1, 1).data.tolist() == [value]


def test_nan_is_kept_for_the_one_who_refuses_it() -> None:
    assert np.isnan(parse_pairs(b"0:nan", 1, 1).data).all()


@given(
    st.lists(st.floats(allow_nan=False), max_size=20), st.sampled_from(["r", ".6f", "g", ".19e"])
)
def test_numbers_are_read_as_python_reads_them(values: list[float], spelling: str) -> None:
    words = [repr(value) if spelling == "r" else format(value, spelling) for value in values]
    parsed = parse_pairs(" ".join(f"7:{word}" for word in words).encode(), 1, 8)
    assert parsed.data.tolist() == [float(word) for word in words]


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("0:1,5", Fault.NUMBER),
        ("0:", Fault.NUMBER),
        ("0:1e", Fault.NUMBER),
        ("0:1_0", Fault.NUMBER),
        ("0:.", Fault.NUMBER),
        ("0:0x1", Fault.NUMBER),
        ("0 :1", Fault.LABEL),
        ("-1:1", Fault.LABEL),
        ("a:1", Fault.LABEL),
        ("3", Fault.LABEL),
        ("4:1", Fault.RANGE),
        ("99999999999999999999999:1", Fault.RANGE),
    ],
)
def test_what_is_no_pair_is_refused_at_its_line(
    write: Callable[[str], str], line: str, fault: Fault
) -> None:
    parsed = parse_pairs(f"\n0:1 {line}\n1:1".encode(), 3, 4)
    assert (parsed.fault, parsed.line) == (fault, 1)
    matrix = XmcTextFormat().open(write(f"3 4\n\n0:1 {line}\n1:1\n"), SCORES)
    with pytest.raises(DataError, match=r"matrix\.txt, line 3: "):
        matrix.read(Band(1, 3))


def pair_by_hand(word: str) -> tuple[int, float] | None:
    match = re.fullmatch(
        r"(\d+):([+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf|infinity|nan))",
        word,
        re.IGNORECASE | re.ASCII,
    )
    if match is None or int(match[1]) >= 12:
        return None
    return int(match[1]), float(match[2])


@given(st.text("0123456789:.,+-einfanty \n\t", max_size=40))
def test_texts_of_any_kind_are_parsed_or_refused_as_by_hand(text: str) -> None:
    parsed = parse_pairs(text.encode(), text.count("\n") + 1, 12)
    by_hand = [[pair_by_hand(word) for word in line.split()] for line in text.split("\n")]
    if any(None in line for line in by_hand):
        first = next(number for number, line in enumerate(by_hand) if None in line)
        assert parsed.fault is not Fault.NONE
        assert parsed.line == first
        assert parsed.token == text.split("\n")[first].split()[by_hand[first].index(None)]
        return
    assert parsed.fault is Fault.NONE
    assert np.diff(parsed.indptr).tolist() == [len(line) for line in by_hand]
    pairs = [pair for line in by_hand for pair in line if pair is not None]
    assert parsed.indices.tolist() == [label for label, _ in pairs]
    assert np.array_equal(parsed.data, np.array([score for _, score in pairs]), equal_nan=True)


def test_a_label_outside_is_named_with_line_and_range(write: Callable[[str], str]) -> None:
    matrix = XmcTextFormat().open(write("1 5\n5312:0.5\n"), SCORES)
    with pytest.raises(
        DataError, match=r"line 2: label 5312 is outside the 5 labels of the header.*0 to 4"
    ):
        matrix.read(Band(0, 1))


@pytest.mark.parametrize("line", ["0,6 1:1", "0, 1:1", "0,2 1", "0;1 2:3", "a 1:2"])
def test_what_is_no_label_list_is_refused_at_its_line(
    write: Callable[[str], str], line: str
) -> None:
    matrix = XmcTextFormat().open(write(f"2 3 6\n1 1:1\n{line}\n"), TRUTH)
    with pytest.raises(DataError, match="line 3: "):
        matrix.read(Band(0, 2))


@pytest.mark.parametrize("header", ["7, 6", "", "7", "1 2 3 4", "a b", "-1 4", "# 3, 4"])
def test_a_header_of_anything_but_two_or_three_whole_numbers_is_refused(
    write: Callable[[str], str], header: str
) -> None:
    with pytest.raises(DataError, match="line 1: the header"):
        XmcTextFormat().open(write(f"{header}\n0:1\n"), SCORES)


@pytest.mark.parametrize("extra", ["\n", "0:1\n"])
def test_a_stray_line_is_refused_with_both_numbers(write: Callable[[str], str], extra: str) -> None:
    with pytest.raises(DataError, match="4 lines follow the header, which says 3 documents"):
        XmcTextFormat().open(write(SPLIT + extra), SCORES)


def test_a_missing_line_is_refused_with_both_numbers(write: Callable[[str], str]) -> None:
    with pytest.raises(DataError, match="2 lines follow the header, which says 3 documents"):
        XmcTextFormat().open(write("3 5\n0:1\n0:1\n"), SCORES)


def test_a_score_file_of_the_tree_methods_holds_probabilities(write: Callable[[str], str]) -> None:
    path = write(SPLIT)
    assert ScoreMat().open(path, SCORES).score_kind == "probability"
    assert ScoreMat().open(path, Reading(score_kind="margin")).score_kind == "margin"
    assert whole(ScoreMat().open(path, SCORES)) == whole(XmcTextFormat().open(path, SCORES))


@given(
    st.lists(st.sampled_from(["", " ", "x", "xy zz", "€"]), max_size=12),
    st.sampled_from([1, 2, 3, 7, 100]),
    st.sampled_from(["", "\n"]),
    st.sampled_from(["", "\ufeff"]),
)
def test_blocks_of_any_size_give_the_same_lines(
    tmp_path_factory: pytest.TempPathFactory, content: list[str], block: int, end: str, mark: str
) -> None:
    path = tmp_path_factory.mktemp("lines") / "text"
    path.write_bytes((mark + "\n".join(["header", *content]) + end).encode())
    expected = content if end or (content and content[-1]) else content[:-1]
    lines._index.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "BLOCK_BYTES", block)
        found = index_lines(str(path), skipped=1)
    assert len(found) == len(expected)
    assert [b.start for b in found.bands()] == sorted({b.start for b in found.bands()})
    for start in range(len(expected) + 1):
        for stop in range(start, len(expected) + 1):
            text = found.read(Band(start, stop)).decode()
            assert text.removesuffix("\n").split("\n")[: stop - start] == (
                expected[start:stop] or [""][: stop - start]
            )


# Label lines


@pytest.fixture
def labels(tmp_path: Path) -> str:
    path = tmp_path / "labels.txt"
    path.write_text("T2\t1\tname\nT10\nT:7\nT3\n")
    return str(path)


def test_an_empty_line_is_a_document_without_labels(
    write: Callable[[str], str], labels: str
) -> None:
    matrix = LabelLinesFormat().open(
        write("T:7  T2\n\nT3\tT3 \n"), Reading(kind="truth", labels=labels)
    )
    assert matrix.shape == (3, 4)
    assert whole(matrix) == [(0, 2, 1), (0, 0, 1), (2, 3, 1), (2, 3, 1)]
    assert entries(matrix.read(Band(1, 3))) == [(1, 3, 1), (1, 3, 1)]


def test_a_name_outside_the_list_is_refused_by_line(
    write: Callable[[str], str], labels: str
) -> None:
    matrix = LabelLinesFormat().open(write("T2\n\nT3 T11\n"), Reading(kind="truth", labels=labels))
    with pytest.raises(DataError, match="line 3: label 'T11' is not among the 4 labels"):
        matrix.read(Band(0, 3))


def test_names_without_a_list_are_refused(write: Callable[[str], str]) -> None:
    with pytest.raises(DataError, match=r"order of the labels is not known.*'T2'.*--labels"):
        LabelLinesFormat().open(write("1 T2\n"), TRUTH)


def test_numbers_without_a_list_are_columns_and_a_note_says_so(write: Callable[[str], str]) -> None:
    matrix = LabelLinesFormat().open(write("3 0\n\n"), TRUTH)
    assert matrix.shape == (2, 4)
    assert whole(matrix) == [(0, 3, 1), (0, 0, 1)]
    assert "columns counted from 0" in matrix.notes[0]


def test_label_lines_hold_no_scores(write: Callable[[str], str], labels: str) -> None:
    with pytest.raises(DataError, match="hold no scores"):
        LabelLinesFormat().open(write("T2\n"), Reading(labels=labels))


def test_a_label_that_stands_twice_in_the_list_is_refused(
    write: Callable[[str], str], tmp_path: Path
) -> None:
    (tmp_path / "twice.txt").write_text("a\nb\na\n")
    with pytest.raises(DataError, match="'a' stands there twice"):
        LabelLinesFormat().open(
            write("a\n"), Reading(kind="truth", labels=str(tmp_path / "twice.txt"))
        )


# Names


def test_the_first_tab_separated_field_is_the_name(labels: str) -> None:
    assert read_names(labels).tolist() == ["T2", "T10", "T:7", "T3"]


def test_json_lines_give_labels_and_uids(tmp_path: Path) -> None:
    path = tmp_path / "ontology.json"
    path.write_text('{"label":"T1"}\n{"uid":"A1"}\n{"title":"x"}\n')
    assert read_names(str(path)).tolist() == ["T1", "A1", "2"]


@pytest.mark.parametrize("what", ["documents", "labels"])
def test_a_name_file_of_another_length_is_refused_with_both_numbers(
    write: Callable[[str], str], tmp_path: Path, what: str
) -> None:
    (tmp_path / "names.txt").write_text("a\nb\n")
    names = str(tmp_path / "names.txt")
    reading = Reading(documents=names) if what == "documents" else Reading(labels=names)
    number = 3 if what == "documents" else 5
    path = write(SPLIT)
    with pytest.raises(DataError, match=rf"names\.txt: 2 names do not fit the {number} {what}"):
        open_matrix(path, format="xmc-text", reading=reading)


def test_an_empty_name_is_refused_by_line(tmp_path: Path) -> None:
    (tmp_path / "names.txt").write_text("a\n\tb\nc\n")
    with pytest.raises(DataError, match="line 2: a name is empty"):
        read_names(str(tmp_path / "names.txt"))


# Every text format

FORMATS: list[tuple[Format, Reading, str | bytes]] = [
    (XmcTextFormat(), SCORES, SPLIT),
    (XmcTextFormat(), TRUTH, DATA),
    (ScoreMat(), SCORES, SPLIT),
    (LabelLinesFormat(), TRUTH, "1 2\n\n0\n"),
]


@pytest.mark.parametrize(("form", "reading", "content"), FORMATS)
def test_a_format_owns_its_text_and_reads_it_the_same_when_unpickled(
    write: Callable[[str | bytes], str], form: Format, reading: Reading, content: str | bytes
) -> None:
    path = write(content)
    assert form.owns(path)
    matrix = form.open(path, reading)
    pickled = pickle.dumps(matrix)
    assert len(pickled) < 2048
    assert whole(pickle.loads(pickled)) == whole(matrix)  # noqa: S301  # our own bytes


@pytest.mark.parametrize(
    ("content", "owners"),
    [
        (SPLIT, {"xmc-text", "score-mat"}),
        (DATA, {"xmc-text"}),
        ("T2 T3\n\nT:7\n", {"label-lines"}),
        ("3 0\n5\n", {"label-lines"}),
        ("7, 6\n0:1\n", set()),
        ("12:0.83 7:0.41 \n", set()),
        ('{"uid":"A1"}\n', set()),
        ("title\ta>b\n", set()),
        ("@relation x\n", set()),
        ("__label__a 0.9\n", set()),
        (b"\x00\x01", set()),
        ("", set()),
    ],
)
def test_only_formats_that_fit_own_a_text(
    write: Callable[[str | bytes], str], content: str | bytes, owners: set[str]
) -> None:
    path = write(content)
    every: list[Format] = [
        XmcTextFormat(),
        ScoreMat(),
        LabelLinesFormat(),
        CsrNpzFormat(),
        NpyDenseFormat(),
    ]
    assert {form.name for form in every if form.owns(path)} == owners
