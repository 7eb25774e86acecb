"""Functions compiled by numba, and where the compiled code is kept for the next process.

numba keeps it in $NUMBA_CACHE_DIR, else beside the source file, else in the user's cache folder.
Where none of them can be written, a process compiles in its memory what it uses, and says so once.
No shared folder such as /tmp stands in: numba unpickles and runs what it finds there.
"""

import logging
import os
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from crowdgold.types.errors import InputError

THREADS = "NUMBA_NUM_THREADS"
if not os.environ.get(THREADS, "1").isdecimal() or int(os.environ.get(THREADS, "1")) < 1:
    # numba would end in an error that does not name the variable, or ignore it.
    raise InputError(
        f"{THREADS}: found {os.environ[THREADS]!r}, expected a whole number from 1; set it anew, "
        "or unset it"
    )

import numba  # noqa: E402 - numba reads the variable when it is loaded

Function = TypeVar("Function", bound=Callable[..., Any])
IN_MEMORY = (
    "Note: no folder for compiled functions can be written, so that each process compiles them "
    "anew, which takes some seconds; set NUMBA_CACHE_DIR to a folder of yours to keep them"
)


@cache
def _listen() -> None:
    """Have it said at the first compilation that nothing of it is kept."""
    from numba.core import event

    class SayOnce(event.Listener):  # type: ignore[misc]
        said = False

        def on_start(self, event: Any) -> None:
            if not self.said:
                self.said = True
                logging.getLogger("crowdgold").warning(IN_MEMORY)

        def on_end(self, event: Any) -> None:
            pass

    event.register("numba:compile", SayOnce())


def kernel(**options: Any) -> Callable[[Function], Any]:
    """A decorator that compiles a function when it is first called; `options` of `numba.njit`."""

    def compiled(function: Function) -> Any:
        try:
            return numba.njit(cache=True, **options)(function)
        except RuntimeError as error:
            if "cannot cache" not in str(error):
                raise
        _listen()
        return numba.njit(**options)(function)

    return compiled
