"""What a conversion leaves behind that is interrupted, terminated or killed."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import daskxmlc
from daskxmlc.errors import DataError

#: Runs the command line where Ctrl-C works; in what a shell puts in the background it does not.
INTERRUPTIBLE = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from daskxmlc_cli.main import main
main(prog_name="daskxmlc")
"""


def converting(folder: Path, *more: str) -> "subprocess.Popen[str]":
    """Start a conversion and wait until it writes chunks."""
    np.save(folder / "scores.npy", np.zeros((20_000, 2_000), dtype=np.float32))
    running = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE, "convert", "scores.npy", "scores.zarr", *more],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    for _ in range(6000):
        if any(folder.glob(".scores.zarr.*/scores/c/*/*")) or running.poll() is not None:
            break
        time.sleep(0.005)
    assert running.poll() is None
    return running


@pytest.mark.parametrize(
    ("sent", "status", "said"),
    [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")],
)
def test_a_conversion_that_is_told_to_end_leaves_nothing(
    tmp_path: Path, sent: signal.Signals, status: int, said: str
) -> None:
    running = converting(tmp_path, "--chunk-documents", "100", "--codec", "none")
    running.send_signal(sent)
    _, line = running.communicate(timeout=60)
    assert (running.returncode, line) == (status, f"daskxmlc convert: {said}\n")
    assert [path.name for path in tmp_path.iterdir()] == ["scores.npy"]


def test_what_a_killed_conversion_leaves_is_no_store(tmp_path: Path) -> None:
    running = converting(tmp_path, "--chunk-documents", "100", "--codec", "none")
    running.kill()
    running.communicate(timeout=60)
    (left,) = tmp_path.glob(".scores.zarr.*")
    with pytest.raises(DataError, match="the store was not completed, its writer stopped"):
        daskxmlc.evaluate(left, np.ones((20_000, 2_000)))
