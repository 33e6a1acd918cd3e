"""Timing: what is compared runs in turns, and the best of several turns counts."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

#: Something that is timed; what it gives is of no interest.
Work = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Timing:
    """How long something took.

    Attributes
    ----------
    seconds
        The best of the turns.
    turns
        All of them.
    """

    seconds: float
    turns: tuple[float, ...]


def time_in_turns(
    work: Mapping[str, Work],
    *,
    repeat: int,
    after_first: Callable[[str], None] | None = None,
    before: Callable[[str], None] | None = None,
) -> dict[str, Timing]:
    """Time several pieces of work side by side, after a first turn that does not count.

    What disturbs a machine for a while then disturbs all of them, and the best of the turns is
    what each takes when nothing does.

    Parameters
    ----------
    work
        Name to work.
    repeat
        Turns that count; at least 1.
    before, after_first
        Called with the name before each piece of work, and after each one of the first turn.

    Returns
    -------
    dict
        Name to timing, in the order of `work`.
    """
    turns: dict[str, list[float]] = {name: [] for name in work}
    for turn in range(repeat + 1):
        for name, run in work.items():
            if before is not None:
                before(name)
            begin = time.perf_counter()
            run()
            seconds = time.perf_counter() - begin
            if turn == 0:
                if after_first is not None:
                    after_first(name)
            else:
                turns[name].append(seconds)
    return {name: Timing(min(taken), tuple(taken)) for name, taken in turns.items()}
