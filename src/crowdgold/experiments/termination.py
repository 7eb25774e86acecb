"""SIGTERM, by which Slurm ends a job, lets the job's program clean up behind it.

Python's own answer is to end at once: temporary folders would stay on the node, and Stan's chains
run on.
"""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psutil

TERMINATED = 128 + signal.SIGTERM
"""Exit code of a program that SIGTERM ended, as a shell gives it."""
EVERY = 0.05
"""Seconds between two looks for processes that this one started."""
GRACE = 5.0
"""Seconds that threads have to end; most sites give a job 30 (Slurm's KillWait)."""


def _end_children() -> None:
    """End all that this process started, and starts from now on, until it ends itself.

    cmdstanpy's thread starts the chains that wait after those that were ended.
    """
    while True:
        for child in psutil.Process().children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                child.terminate()
        time.sleep(EVERY)


def _terminate(number: int, frame: object) -> None:
    # A second one would interrupt the cleaning. What starts from now on would inherit SIG_IGN.
    signal.signal(number, lambda *_: None)
    threading.Thread(target=_end_children, daemon=True).start()
    # The folder that chains write to is not removed before the thread that runs them has ended.
    until = time.monotonic() + GRACE
    for thread in threading.enumerate():
        if not thread.daemon and thread is not threading.main_thread():
            thread.join(max(0.0, until - time.monotonic()))
    raise SystemExit(TERMINATED)


@contextmanager
def orderly_termination() -> Iterator[None]:
    """Make SIGTERM raise SystemExit(143) in the block, and end the processes that it started.

    Outside of the main thread, where Python takes no handler, nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before or signal.SIG_DFL)
