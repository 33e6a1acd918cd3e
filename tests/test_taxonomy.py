"""Taxonomies: what is read, what is refused, and the graph itself against a slow calculation."""

import pickle
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from daskxmlc.errors import DataError, UsageError
from daskxmlc.taxonomy import LevelKind, Taxonomy, read_taxonomy
from daskxmlc.taxonomy.closing import close_rows, label_closure, unclosed

SHARED = Path(__file__).parents[2] / "shared"
WORDNET = SHARED / "data" / "wordnet"
Pairs = list[tuple[str, str]]

# R has the children A and B, X stands under both, Z under A, and W under Z and, shorter, under B.
DIAMOND: Pairs = [
    ("R", "A"),
    ("R", "B"),
    ("A", "X"),
    ("B", "X"),
    ("A", "Z"),
    ("Z", "W"),
    ("B", "W"),
]
SIX = ("ROOT", "T2", "T10", "T3", "T21", "T:7", "T100")
SIX_LEVELS = [0, 1, 1, 2, 2, 2, 3]


@st.composite
def pairs(draw: st.DrawFn) -> Pairs:
    """Edges of a random graph with one root, n0, several parents, in any order."""
    size = draw(st.integers(2, 9))
    edges = [
        (f"n{parent}", f"n{child}")
        for child in range(1, size)
        for parent in draw(st.sets(st.integers(0, child - 1), min_size=1, max_size=3))
    ]
    return draw(st.permutations(edges))


def paths_up(edges: Pairs, node: str) -> list[list[str]]:
    """All ways from a node up to the root, by trying every parent."""
    above = [parent for parent, child in edges if child == node]
    if not above:
        return [[node]]
    return [[node, *path] for parent in above for path in paths_up(edges, parent)]


def write(folder: Path, text: str, name: str = "taxonomy.txt") -> str:
    path = folder / name
    path.write_bytes(text.encode())
    return str(path)


@given(pairs())
def test_levels_are_the_shortest_and_longest_of_all_paths(edges: Pairs) -> None:
    taxonomy = Taxonomy.from_edges(edges)
    lengths = [[len(path) - 1 for path in paths_up(edges, node)] for node in taxonomy.nodes]
    assert taxonomy.levels("min").tolist() == [min(each) for each in lengths]
    assert taxonomy.levels("max").tolist() == [max(each) for each in lengths]


@given(pairs())
def test_ancestors_are_all_nodes_of_all_paths_without_the_root(edges: Pairs) -> None:
    taxonomy = Taxonomy.from_edges(edges)
    for node in taxonomy.nodes:
        above = {name for path in paths_up(edges, node) for name in path} - {node, "n0"}
        assert set(taxonomy.ancestors(node)) == above
        assert len(taxonomy.ancestors(node)) == len(above)
        assert all(node in taxonomy.descendants(name) for name in above)


@given(pairs(), st.data())
def test_the_closure_of_many_labels_is_the_ancestors_of_each(
    edges: Pairs, data: st.DataObject
) -> None:
    taxonomy = Taxonomy.from_edges(edges)
    labels = data.draw(st.lists(st.sampled_from([*taxonomy.nodes, "elsewhere"])))
    indptr, indices = taxonomy.ancestor_closure(labels)
    assert len(indptr) == len(labels) + 1
    for row, label in enumerate(labels):
        found = indices[indptr[row] : indptr[row + 1]].tolist()
        assert found == sorted(set(found))
        names = tuple(taxonomy.nodes[place] for place in found)
        assert names == (taxonomy.ancestors(label) if label in taxonomy else ())


@given(pairs())
def test_a_taxonomy_comes_back_from_a_pickle(edges: Pairs) -> None:
    taxonomy = Taxonomy.from_edges(edges)
    again = pickle.loads(pickle.dumps(taxonomy))  # noqa: S301  # its own
    assert again.nodes == taxonomy.nodes
    assert again.levels("max").tolist() == taxonomy.levels("max").tolist()
    assert [again.parents(n) for n in again.nodes] == [taxonomy.parents(n) for n in again.nodes]


@given(pairs(), st.data())
def test_an_edge_back_to_an_ancestor_is_refused_as_a_cycle(
    edges: Pairs, data: st.DataObject
) -> None:
    taxonomy = Taxonomy.from_edges(edges)
    node = data.draw(st.sampled_from([n for n in taxonomy.nodes if n != "n0"]))
    above = data.draw(st.sampled_from(["n0", *taxonomy.ancestors(node)]))
    with pytest.raises(DataError, match=r"is a cycle; no node may be its own ancestor") as caught:
        Taxonomy.from_edges([*edges, (node, above)])
    names = (
        str(caught.value)
        .split(": ", 2)[2]
        .removesuffix(" is a cycle; no node may be its own ancestor")
    )
    steps = [name.strip("'") for name in names.split(" > ")]
    assert steps[0] == steps[-1]
    if not any("more" in step for step in steps):
        assert {*pairwise(steps)} <= {*edges, (node, above)}


def test_a_label_with_two_parents_has_both_and_their_levels_may_differ() -> None:
    taxonomy = Taxonomy.from_edges(DIAMOND)
    assert taxonomy.nodes == ("R", "A", "B", "X", "Z", "W")
    assert taxonomy.root == "R"
    assert len(taxonomy) == 6
    assert taxonomy.parents("X") == ("A", "B")
    assert taxonomy.children("A") == ("X", "Z")
    assert taxonomy.ancestors("X") == ("A", "B")
    # W: R > B > W is 2 long, R > A > Z > W is 3 long.
    assert taxonomy.level_of(["W", "X", "nowhere"], "min").tolist() == [2, 2, -1]
    assert taxonomy.level_of(["W", "X", "nowhere"], "max").tolist() == [3, 2, -1]


def test_a_chain_of_a_hundred_thousand_nodes_needs_no_recursion() -> None:
    size = 100_000
    taxonomy = Taxonomy.from_edges((str(i), str(i + 1)) for i in range(size))
    assert taxonomy.levels("max")[-1] == size
    assert len(taxonomy.ancestors(str(size))) == size - 1
    with pytest.raises(DataError, match="at most 2,147,483,648 are supported"):
        taxonomy.ancestor_closure(taxonomy.nodes)


def test_what_a_taxonomy_knows_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        Taxonomy.from_edges(DIAMOND).levels()[0] = 1


@pytest.mark.parametrize(
    "text",
    [
        "ROOT T2 T10\nT2 T3 T21\nT10 T21 T:7\nT3 T100\n",
        "ROOT  T2  T10\nT2 T3  T21\nT10 T21 T:7 \nT3\tT100",
        "\ufeffROOT T2 T10\r\n\r\nT2 T3 T21\r\nT10 T21 T:7\r\nT3 T100\r\n",
        "ROOT\tT2\tT10\nT2\tT3\t\tT21\nT10\tT21\tT:7\t\nT3\tT100\nT100\n",
        "parent, child\nROOT, T2\nROOT, T10\nT2, T3\nT2, T21\nT10, T21\nT10, T:7\nT3, T100\n",
        "ROOT,T2\nROOT,T10\nT2,T3\nT2,T21\nT10,T21\nT10,T:7\nT3,T100",
        "Child\tParent\nT2\tROOT\nT10\tROOT\nT3\tT2\nT21\tT2\nT21\tT10\nT:7\tT10\nT100\tT3\n",
        'ROOT,"T2"\nROOT,T10\nT2,T3\nT2,T21\nT10,T21\nT10,T:7\nT3,T100',
    ],
    ids=["list", "white-space", "bom-crlf", "tabs", "header", "edges", "child-first", "quoted"],
)
def test_every_way_of_writing_gives_the_same_taxonomy(tmp_path: Path, text: str) -> None:
    taxonomy = read_taxonomy(write(tmp_path, text))
    assert taxonomy.root == "ROOT"
    assert sorted(taxonomy.nodes) == sorted(SIX)
    assert taxonomy.level_of(SIX).tolist() == SIX_LEVELS
    assert sorted(taxonomy.parents("T21")) == ["T10", "T2"]


def test_names_between_tabs_may_hold_spaces(tmp_path: Path) -> None:
    text = "All news\tHome and Garden\tWorld\nHome and Garden\tPots, pans\nPots, pans\n"
    taxonomy = read_taxonomy(write(tmp_path, text))
    assert taxonomy.nodes == ("All news", "Home and Garden", "World", "Pots, pans")
    assert taxonomy.root == "All news"


def test_tabs_among_spaces_are_white_space(tmp_path: Path) -> None:
    taxonomy = read_taxonomy(write(tmp_path, "R\tA\tB\nA X Y\nB\tZ\tX\n"))
    assert taxonomy.nodes == ("R", "A", "B", "X", "Y", "Z")


def test_the_parent_of_the_first_line_is_the_root_whatever_its_name(tmp_path: Path) -> None:
    assert read_taxonomy(write(tmp_path, "41008148 7 ROOT\nROOT 9 12\n")).root == "41008148"


def test_an_edge_list_may_begin_anywhere(tmp_path: Path) -> None:
    taxonomy = read_taxonomy(write(tmp_path, "A,X\nR,A\nR,B\n"))
    assert taxonomy.root == "R"
    assert taxonomy.level_of(["A", "B", "X"]).tolist() == [1, 1, 2]


def test_names_of_a_header_that_are_nodes_are_no_header(tmp_path: Path) -> None:
    taxonomy = read_taxonomy(write(tmp_path, "parent,child\nchild,baby\n"))
    assert taxonomy.nodes == ("parent", "child", "baby")
    assert taxonomy.notes == ()


def test_lines_of_one_parent_add_and_are_noted(tmp_path: Path) -> None:
    taxonomy = read_taxonomy(write(tmp_path, "R A B\nA X\nA Y X X\n"))
    assert taxonomy.children("A") == ("X", "Y")
    repeated, doubled = taxonomy.notes
    assert "1 parent has several lines" in repeated
    assert "'A' (line 3)" in repeated
    assert "2 children stand more than once" in doubled
    assert "'X' under 'A' (line 3)" in doubled


def test_paths_are_nodes_with_all_they_begin_with(tmp_path: Path) -> None:
    taxonomy = read_taxonomy(write(tmp_path, "Top/News/World\nTop/Home and Garden\nTop/News\n"))
    assert taxonomy.root == "Top"
    assert taxonomy.nodes == ("Top", "Top/News", "Top/News/World", "Top/Home and Garden")
    assert "the root is 'Top'" in taxonomy.notes[0]


def test_paths_without_a_common_beginning_get_a_root(tmp_path: Path) -> None:
    taxonomy = read_taxonomy(write(tmp_path, "01/01\n01/03\n02/01\n"))
    assert taxonomy.root == "/"
    assert taxonomy.level_of(["01", "01/03", "02/01"]).tolist() == [1, 2, 2]


def test_slashes_in_the_names_of_a_list_make_no_paths(tmp_path: Path) -> None:
    text = "Top Top/News Top/Home\nTop/News Top/News/World\n"
    assert len(read_taxonomy(write(tmp_path, text))) == 4


def test_an_ontology_adds_stored_levels(tmp_path: Path) -> None:
    edges = write(tmp_path, "R A B\nA X\n")
    ontology = write(
        tmp_path,
        '{"label": "X", "level": 5}\n{"label": "A", "level": 1, "title": "a"}\n'
        '{"label": "gone", "level": 2}\n',
        "ontology.json",
    )
    taxonomy = read_taxonomy(edges, ontology=ontology)
    assert taxonomy.levels("stored").tolist() == [0, 1, -1, 5]
    assert taxonomy.levels("min").tolist() == [0, 1, 1, 2]
    missing, extra = taxonomy.notes
    assert "1 node has no stored level; the first is 'B'" in missing
    assert "1 label of the ontology is no node; the first is 'gone'" in extra


def test_an_ontology_alone_knows_stored_levels_only(tmp_path: Path) -> None:
    text = '{"label": "X", "level": 2}\n\n{"label": 7, "level": 1}\n{"label": "X", "level": 2}'
    taxonomy = read_taxonomy(write(tmp_path, text, "ontology.json"))
    assert taxonomy.level_of(["7", "X", "Y"], "stored").tolist() == [1, 2, -1]
    assert "1 line repeats a label; the first is 'X' (line 4)" in taxonomy.notes[0]
    with pytest.raises(UsageError, match=r"stored levels only, got levels 'min'; give levels st"):
        taxonomy.levels("min")
    with pytest.raises(UsageError, match="stored levels only, got ancestors"):
        taxonomy.ancestor_closure(["X"])
    with pytest.raises(UsageError, match="stored levels only"):
        taxonomy.parents("X")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"the file is empty; a taxonomy has a root"),
        (" \n\t\n", r"the file is empty"),
        ("R A\nA A\n", r"line 2: 'A' is its own child"),
        ("R A B\nA B\nB A\n", r"line \d: '[AB]' > '[AB]' > '[AB]' is a cycle"),
        ("R A\nA R\n", r"is a cycle"),
        ("R A B\nX Y X2\nX2 Y\n", r"'X' \(line 2\) has no parent, and 'R' \(line 1\) has none"),
        ("R,A\nX,Y\nZ,Y\n", r"'X' \(line 2\), 'Z' \(line 3\) have no parent, and 'R'.*under one"),
        ("R A B\nA X Y\nlonely\n", r"'lonely' \(line 3\) has no parent"),
        ("A X Y\nR A B\n", r"line 2: the root 'A' has the parent 'R'"),
        ("R A B\nX Y\nY X\n", r"line \d: .* is a cycle"),
        ("R\n", r"it holds no edge, got 1 node"),
        ("parent,child\n", r"it holds no edge"),
        ("R,A\nR,A,B\n", r"line 2 has 3 names in 3 columns; an edge list has two"),
        ("R,A\nR,\n", r"line 2 has 1 name in 2 columns"),
        ('R,A\n"R,A\n', r"line 2 is no row of an edge list"),
        ("/\nTop/A\n//\n", r"line 1 is a path without names"),
        ('{"label": "A"}', r"line 1: 'A' has the level None; a level is a whole number"),
        ('{"label": "A", "level": 1}\n{"label": "A", "level": 2}', r"line 2: 'A' has level 2, but"),
        ('{"label": "A", "level": 1}\nR A', r"line 2 is no JSON object"),
        ('{"level": 1}', r"line 1 has no 'label'"),
        ('[{"label": "A", "level": 1}]', r"line 1 holds no JSON object, got list"),
    ],
)
def test_a_file_that_is_no_taxonomy_is_refused_in_one_line(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(DataError, match=message) as caught:
        read_taxonomy(write(tmp_path, text))
    assert str(caught.value).startswith(str(tmp_path / "taxonomy.txt"))
    assert "\n" not in str(caught.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none.txt: the file cannot be read, No such file"):
        read_taxonomy(str(tmp_path / "none.txt"))
    latin = tmp_path / "latin.txt"
    latin.write_bytes(b"R A\nA caf\xe9\n")
    with pytest.raises(DataError, match=r"latin.txt: line 2 is not UTF-8, got byte 0xe9"):
        read_taxonomy(str(latin))


def test_a_long_cycle_is_shown_in_part(tmp_path: Path) -> None:
    ring = "".join(f"n{i} n{i + 1}\n" for i in range(1, 50)) + "n50 n1\n"
    with pytest.raises(DataError, match=r"… 45 more … > 'n\d+' is a cycle"):
        read_taxonomy(write(tmp_path, "R n1\n" + ring))


def test_what_does_not_exist_is_asked_for_in_vain() -> None:
    taxonomy = Taxonomy.from_edges([("Root", "physics"), ("Root", "chemistry")])
    with pytest.raises(UsageError, match="none is called 'fysics'; did you mean physics"):
        taxonomy.parents("fysics")
    with pytest.raises(UsageError, match="it stores no levels, got levels 'stored'"):
        taxonomy.levels("stored")
    wrong: LevelKind = "mean"  # type: ignore[assignment]  # as a user may write
    with pytest.raises(UsageError, match="no kind is called 'mean'; there are: min, max, stored"):
        taxonomy.levels(wrong)
    with pytest.raises(DataError, match="the root 'Rot' is no node"):
        Taxonomy.from_edges([("Root", "physics")], root="Rot")


def rows(*documents: list[int]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    sizes = [len(document) for document in documents]
    indices = [label for document in documents for label in document]
    return np.cumsum([0, *sizes], dtype=np.int64), np.array(indices, dtype=np.int32)


def test_a_closed_truth_holds_each_ancestor_once() -> None:
    # Labels X, Z, A, W; B is a node but no label, and Q is no node.
    closure = label_closure(Taxonomy.from_edges(DIAMOND), ["X", "Z", "A", "W", "Q"])
    assert closure.outside == ("B",)
    assert closure.unknown == ("Q",)
    truth = rows([3], [0, 1], [], [1, 2, 1], [4])
    indptr, indices = close_rows(*truth, closure.indptr, closure.indices)
    # W adds Z and A; X and Z both add A, once; Q has no ancestors.
    assert [indices[a:b].tolist() for a, b in pairwise(indptr)] == [
        [1, 2, 3],
        [0, 1, 2],
        [],
        [1, 2],
        [4],
    ]
    assert unclosed(*truth, closure.indptr, closure.indices) == 2


def test_the_root_is_never_added_but_stays_where_it_is_true() -> None:
    closure = label_closure(Taxonomy.from_edges(DIAMOND), ["R", "A", "X"])
    indptr, indices = close_rows(*rows([2], [0, 2]), closure.indptr, closure.indices)
    assert indptr.tolist() == [0, 2, 5]
    assert indices.tolist() == [1, 2, 0, 1, 2]


@given(pairs(), st.data())
def test_closing_adds_all_ancestors_that_are_labels_and_nothing_else(
    edges: Pairs, data: st.DataObject
) -> None:
    taxonomy = Taxonomy.from_edges(edges)
    names = st.sampled_from([*taxonomy.nodes, "elsewhere"])
    labels = data.draw(st.lists(names, min_size=1, unique=True))
    documents = data.draw(st.lists(st.lists(st.integers(0, len(labels) - 1))))
    closure = label_closure(taxonomy, labels)
    truth = rows(*documents)
    indptr, indices = close_rows(*truth, closure.indptr, closure.indices)
    assert indices.dtype == np.int32
    missing = 0
    for row, document in enumerate(documents):
        names_true = {labels[place] for place in document}
        above = {a for n in names_true if n in taxonomy for a in taxonomy.ancestors(n)}
        expected = names_true | (above & set(labels))
        missing += expected != names_true
        assert indices[indptr[row] : indptr[row + 1]].tolist() == sorted(
            labels.index(name) for name in expected
        )
    assert unclosed(*truth, closure.indptr, closure.indices) == missing
    assert unclosed(indptr, indices, closure.indptr, closure.indices) == 0


@pytest.mark.parametrize("wrong", [3, -1])
def test_a_label_out_of_range_is_refused_before_compiled_code_sees_it(wrong: int) -> None:
    closure = label_closure(Taxonomy.from_edges(DIAMOND), ["X", "Z", "A"])
    with pytest.raises(DataError, match=f"no label number {wrong}, got 3 labels"):
        close_rows(*rows([0, wrong]), closure.indptr, closure.indices)
    with pytest.raises(DataError, match=f"no label number {wrong}"):
        unclosed(*rows([0, wrong]), closure.indptr, closure.indices)


needs_wordnet = pytest.mark.skipif(not WORDNET.exists(), reason="WordNet data are not here")


@needs_wordnet
def test_wordnet_has_the_published_shape() -> None:
    taxonomy = read_taxonomy(str(WORDNET / "taxonomy.txt"))
    lines = (WORDNET / "labels.txt").read_text(encoding="utf-8").splitlines()
    labels = [line.split("\t")[0] for line in lines]
    levels = [int(line.split("\t")[1]) for line in lines]
    assert len(labels) == 3627
    assert set(taxonomy.nodes) == {*labels, "root"}
    assert len(taxonomy.child_rows[1]) == 3752
    assert sum(len(taxonomy.parents(label)) > 1 for label in labels) == 123
    assert taxonomy.level_of(labels, "min").tolist() == levels
    assert max(levels) == 16
    assert int((taxonomy.level_of(labels, "max") > levels).sum()) == 809
    assert taxonomy.notes == ()


@needs_wordnet
def test_the_truth_of_wordnet_is_closed() -> None:
    from scipy import sparse

    taxonomy = read_taxonomy(str(WORDNET / "taxonomy.txt"))
    lines = (WORDNET / "labels.txt").read_text(encoding="utf-8").splitlines()
    closure = label_closure(taxonomy, [line.split("\t")[0] for line in lines])
    truth = sparse.load_npz(WORDNET / "Y_test.npz")
    arrays = truth.indptr.astype(np.int64), truth.indices.astype(np.int32)
    assert closure.outside == closure.unknown == ()
    assert unclosed(*arrays, closure.indptr, closure.indices) == 0
    assert np.array_equal(close_rows(*arrays, closure.indptr, closure.indices)[0], arrays[0])


@pytest.mark.skipif(not SHARED.exists(), reason="sample files are not here")
@pytest.mark.parametrize("name", ["oaxmlc/taxonomy.txt", "oaxmlc/edges.csv", "match/taxonomy.txt"])
def test_the_sample_files_hold_the_same_six_labels(name: str) -> None:
    taxonomy = read_taxonomy(str(SHARED / "fixtures" / name))
    assert taxonomy.nodes == SIX
    assert taxonomy.levels().tolist() == SIX_LEVELS
