"""A job's output goes to its log file; the error or SIGTERM that ends it is shown on the terminal.

SIGTERM, by which Slurm ends a job, lets the job's program clean up behind it. Python's own answer
is to end at once: temporary folders would stay on the node, and Stan's chains run on.
"""

import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

from crowdgold.record.seals import DamagedTable, set_aside
from crowdgold.types.errors import InputError

TERMINATED = 128 + signal.SIGTERM
"""Exit code of a program that SIGTERM ended, as a shell gives it."""
LOOK_EVERY = 0.05
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
        time.sleep(LOOK_EVERY)


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


def _pass_on(told: int) -> None:
    """Tell the main thread of a SIGTERM that another thread took, until it has heard of it.

    A thread that starts a process can take the signal. Python only notes that, and a main thread
    that waits for that thread would not look. Python writes the number of each signal to the pipe
    whose end is `told`, and 0 ends it.
    """
    main = threading.main_thread().ident or 0
    while number := os.read(told, 1)[0]:
        while number == signal.SIGTERM and signal.getsignal(number) is _terminate:
            signal.pthread_kill(main, number)
            time.sleep(LOOK_EVERY)


@contextmanager
def orderly_termination() -> Iterator[None]:
    """Make SIGTERM raise SystemExit(143) in the block, and end the processes that it started.

    Outside of the main thread, where Python takes no handler, nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    told, tell = os.pipe()
    os.set_blocking(tell, False)
    passing = threading.Thread(target=_pass_on, args=(told,), daemon=True)
    before = signal.signal(signal.SIGTERM, _terminate)
    before_told = signal.set_wakeup_fd(tell, warn_on_full_buffer=False)
    passing.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before_told)
        os.set_blocking(tell, True)
        os.write(tell, b"\0")
        passing.join()
        os.close(told)
        os.close(tell)
        # The last, as another one may come until the program's very end.
        heard = signal.getsignal(signal.SIGTERM) is not _terminate
        signal.signal(signal.SIGTERM, signal.SIG_IGN if heard else before or signal.SIG_DFL)


def error_in_words(error: Exception) -> str:
    """What a person is told of an error. A damaged table is set aside, to be made anew."""
    if isinstance(error, DamagedTable):
        set_aside(error.path)
    kind = "" if isinstance(error, InputError) else f"{type(error).__name__}: "
    notes = "".join(f"\n  {note}" for note in getattr(error, "__notes__", []))
    return f"{kind}{error}{notes}"


@contextmanager
def job_log(path: str | Path) -> Iterator[None]:
    """Send standard output and error, those of child processes too, to a file.

    An error ends the program with exit code 1 after one message on the terminal; the traceback is
    in the log. A damaged table is set aside, so that the next run makes it anew. SIGTERM ends the
    program with exit code 143, when it has cleaned up.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    terminal = os.fdopen(os.dup(2), "w")
    with path.open("w") as log:
        sys.stdout.flush()
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
        try:
            with orderly_termination():
                yield
        except SystemExit as ending:
            if ending.code == TERMINATED:
                for stream in (sys.stderr, terminal):
                    print(f"Error: terminated (SIGTERM)\n  log: {path}", file=stream, flush=True)
            raise
        except Exception as error:
            traceback.print_exc()
            print(f"\nError: {error_in_words(error)}\n  log: {path}\n", file=terminal, flush=True)
            sys.exit(1)
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
