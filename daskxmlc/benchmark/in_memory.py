"""The benchmark of the kernels and of other tools: scores in memory, one core, no cluster."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from daskxmlc.benchmark.machine import describe_machine, memory_bytes, versions
from daskxmlc.benchmark.peers.ours import Ours
from daskxmlc.benchmark.peers.peer import Peer
from daskxmlc.benchmark.recipe import Recipe
from daskxmlc.benchmark.timing import Timing, time_in_turns
from daskxmlc.blocks.layout import layout_of
from daskxmlc.blocks.state import Truth, new_state
from daskxmlc.blocks.truth import truth_of
from daskxmlc.discover import catalogue
from daskxmlc.evaluation.plan import Plan
from daskxmlc.evaluation.scanning import Scanner
from daskxmlc.report.version import version
from daskxmlc.storage.matrix import SparseRows
from daskxmlc.storage.memory import from_array
from daskxmlc.tables.document_table import DocumentTable
from daskxmlc.tables.first_hits import FirstHits
from daskxmlc.tables.hits_by_rank import HitsByRank
from daskxmlc.tasks.task import View

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Announce = Callable[[str], None]

PLACES = 10
THRESHOLD = 0.5
#: A peer is given so many documents that it takes about this long.
PEER_SECONDS = 2.0
FEWEST = 32
#: Scores take at most this share of the machine's memory.
SHARE = 0.25


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a report.

    Attributes
    ----------
    name, meaning
        What was measured.
    documents, decoded_bytes
        How much of it.
    timing
        How long it took; None if it is not installed.
    value
        What it computed, where it computes a value.
    measure
        Name of the value.
    """

    name: str
    meaning: str
    documents: int
    decoded_bytes: int
    timing: Timing | None
    value: float | None = None
    measure: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Give one object for JSON."""
        found: dict[str, Any] = {
            "name": self.name,
            "meaning": self.meaning,
            "documents": self.documents,
        }
        if self.timing is not None:
            seconds = self.timing.seconds
            found |= {
                "seconds": seconds,
                "turns": list(self.timing.turns),
                "gb_per_second": self.decoded_bytes / seconds / 1e9,
                "documents_per_second": self.documents / seconds,
            }
        if self.measure is not None:
            found |= {"measure": self.measure, "value": self.value}
        return found


@dataclass(frozen=True, slots=True)
class MemoryReport:
    """What was measured in memory.

    Attributes
    ----------
    labels
        How many there are.
    kernels, peers
        A row for each measurement.
    """

    labels: int
    kernels: tuple[Row, ...]
    peers: tuple[Row, ...]

    def factors(self) -> dict[str, float]:
        """Give how many times as many documents a second daskxmlc evaluates as each peer.

        A peer that computes everything is compared with everything that daskxmlc computes.
        """
        rates = {row.name: row.documents / row.timing.seconds for row in self.peers if row.timing}
        known = all_peers()
        return {
            f"{one} / {other}": rates[one] / rates[other]
            for one in rates
            for other in rates
            if isinstance(known[one], Ours)
            and not isinstance(known[other], Ours)
            and known[one].everything == known[other].everything
        }

    def to_dict(self) -> dict[str, Any]:
        """Give one object for JSON."""
        return {
            "daskxmlc": version(),
            "machine": describe_machine(),
            "versions": dict(versions()),
            "labels": self.labels,
            "kernels": [row.to_dict() for row in self.kernels],
            "peers": [row.to_dict() for row in self.peers],
            "factors": self.factors(),
        }


def measure_in_memory(
    recipe: Recipe,
    *,
    kernels: bool = True,
    peers: bool = False,
    repeat: int = 3,
    announce: Announce | None = None,
) -> MemoryReport:
    """Measure kernels and peers on uniform random scores, which are the hardest to rank.

    Parameters
    ----------
    recipe
        How many documents and labels, and where true labels come from. Fewer documents are taken
        if they do not fit in memory.
    kernels
        Whether to measure the scan alone, for each dtype and one and four views.
    peers
        Whether to measure other tools, as far as they are installed.
    repeat
        Turns that count; at least 1.
    announce
        Called with the name of each measurement before it starts.
    """
    documents = min(recipe.documents, _most_documents(recipe.labels))
    truth = recipe.truth(0, documents)
    rows: list[Row] = []
    scores = uniform_scores(documents, recipe.labels, recipe.seed)
    compared: list[Row] = []
    if peers:
        from scipy.sparse import csr_matrix

        known = csr_matrix(
            (truth.data, truth.indices, truth.indptr), shape=(documents, recipe.labels)
        )
        compared = list(_measure_peers(scores, known, repeat, announce))
    if kernels:
        for dtype in ("float32", "float16"):
            narrowed = scores.astype(dtype, copy=False)
            rows += _measure_kernels(narrowed, truth, recipe, repeat, announce)
    return MemoryReport(recipe.labels, tuple(rows), tuple(compared))


def uniform_scores(documents: int, labels: int, seed: int) -> NDArray[np.float32]:
    """Draw scores of which each is as likely as any other: float32 (documents, labels)."""
    return np.random.default_rng([seed, 6]).random((documents, labels), dtype=np.float32)


def _most_documents(labels: int) -> int:
    memory = memory_bytes()
    return 2**62 if memory is None else max(FEWEST, int(memory * SHARE) // (4 * labels))


def _measure_kernels(
    scores: NDArray[np.floating],
    truth: SparseRows,
    recipe: Recipe,
    repeat: int,
    announce: Announce | None,
) -> Iterator[Row]:
    work = {}
    for views in (_whole(recipe), (*_whole(recipe), *_levels(recipe))):
        for first_hits in (False, True):
            what = f"{PLACES} best and counts" + (", first hits" if first_hits else "")
            many = f"{len(views)} view{'s' * (len(views) > 1)}"
            tables = (HitsByRank, *((FirstHits,) if first_hits else ()))
            plan = _plan(views, recipe.labels, tables)
            work[f"{scores.dtype}, {many}: {what}"] = _scan(scores, truth, plan)
    for name, timing in time_in_turns(work, repeat=repeat, before=announce).items():
        yield Row(name, "the scan of an evaluation alone", len(scores), scores.nbytes, timing)


def _whole(recipe: Recipe) -> tuple[View, ...]:
    return (View("classification", "all", np.arange(recipe.labels)),)


def _levels(recipe: Recipe) -> tuple[View, ...]:
    levels = recipe.levels()
    return tuple(
        View("per-level", f"level-{level}", np.flatnonzero(levels == level)) for level in (1, 2, 3)
    )


def _plan(views: Sequence[View], labels: int, tables: tuple[type[DocumentTable], ...]) -> Plan:
    return Plan(
        layout=layout_of(views, labels),
        label_of_column=np.arange(labels, dtype=np.int32),
        places=PLACES,
        tables=tables,
        threshold=THRESHOLD,
        strict=False,
        closure=None,
        rows=False,
    )


def _scan(scores: NDArray[np.floating], truth: SparseRows, plan: Plan) -> Callable[[], None]:
    matrix = from_array(scores)
    known, _ = truth_of(truth)

    def scan() -> None:
        scanner = Scanner(plan, matrix)
        for band in matrix.bands():
            ends = known.indptr[band.start : band.stop + 1]
            part = Truth(ends - ends[0], known.labels[ends[0] : ends[-1]])
            state = new_state(len(band), plan.layout, plan.kept_places)
            scanner.scan(band, np.arange(len(band)), part, state)

    return scan


def _measure_peers(
    scores: NDArray[np.float32], truth: "csr_matrix", repeat: int, announce: Announce | None
) -> Iterator[Row]:
    work: dict[str, Callable[[], float]] = {}
    documents: dict[str, int] = {}
    for name, peer in all_peers().items():
        if peer.is_installed():
            documents[name] = count = _documents_for(peer, scores, truth)
            work[name] = partial(peer.value, scores[:count], peer.prepare(truth[:count]))
    timings = time_in_turns(work, repeat=repeat, before=announce)
    for name, peer in all_peers().items():
        if name not in work:
            yield Row(name, f"{peer.summary} (not installed)", 0, 0, None)
            continue
        seen = scores[: documents[name]]
        value = work[name]()
        yield Row(name, peer.summary, len(seen), seen.nbytes, timings[name], value, peer.measure)


def all_peers() -> dict[str, Peer]:
    """Give every peer by its name, daskxmlc itself among them."""
    return catalogue("daskxmlc.benchmark.peers", Peer)


def _documents_for(peer: Peer, scores: NDArray[np.float32], truth: "csr_matrix") -> int:
    """Find how many documents a peer takes a few seconds for; all of them if it is fast."""
    documents = min(FEWEST, len(scores))
    peer.value(scores[:documents], peer.prepare(truth[:documents]))  # imports and compiles
    while True:
        known = peer.prepare(truth[:documents])
        begin = time.perf_counter()
        peer.value(scores[:documents], known)
        seconds = time.perf_counter() - begin
        if documents == len(scores) or seconds > PEER_SECONDS / 8:
            return min(len(scores), max(FEWEST, int(documents * PEER_SECONDS / seconds)))
        documents = min(len(scores), documents * 4)
