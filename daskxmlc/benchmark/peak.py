"""The most memory that processes held: of this one, and of each worker."""

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from distributed import Client


@dataclass(frozen=True, slots=True)
class Peak:
    """The most memory that was resident, in bytes.

    Attributes
    ----------
    workers
        Of each worker process; empty if this process does the work.
    client
        Of this process.
    """

    workers: tuple[int, ...]
    client: int


def reset_peaks(client: "Client | None") -> bool:
    """Start anew to watch the memory of this process and of the workers.

    Returns
    -------
    bool
        False if the system cannot: peaks are then those of the processes' whole lives.
    """
    return all([reset_peak(), *_on_workers(client, reset_peak)])


def peaks(client: "Client | None") -> Peak:
    """Give the peaks since the last reset."""
    return Peak(tuple(_on_workers(client, peak_bytes)), peak_bytes())


def reset_peak() -> bool:
    """Start anew to watch the memory of this process."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return False
    return True


def peak_bytes() -> int:
    """Give the most bytes that were resident in this process, since the last reset if it could."""
    try:
        # Not that of getrusage, which takes over what the parent process held at the start.
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        import resource

        unit = 1 if sys.platform == "darwin" else 1024
        return unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM:"))
    return 1024 * int(line.split()[1])


def _on_workers(client: "Client | None", function: object) -> Iterable[int]:
    if client is None:
        return ()
    found: dict[str, int] = client.run(function)
    return [found[address] for address in sorted(found)]
