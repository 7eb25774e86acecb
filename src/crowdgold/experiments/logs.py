"""What a job prints goes to its log file; what ends it is also said on the terminal."""

import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from crowdgold.data import InputError
from crowdgold.experiments.provenance.seals import DamagedTable, set_aside
from crowdgold.experiments.termination import TERMINATED, orderly_termination


def described(error: Exception) -> str:
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
            print(f"\nError: {described(error)}\n  log: {path}\n", file=terminal, flush=True)
            sys.exit(1)
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
