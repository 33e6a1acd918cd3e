"""A preload of workers on this machine: they keep quiet on the user's terminal.

What goes wrong in a task comes back as an exception and what kills a worker as its death; what
Python or Dask print of it besides, such as tracebacks of an interrupted shutdown, is no message
for the user.
"""

import os


def dask_setup(_worker: object) -> None:
    """Send the standard error of this worker process nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    os.close(nowhere)
