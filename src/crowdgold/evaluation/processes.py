"""Jobs in processes of their own, lines of progress, and an end that leaves nothing behind.

Processes, and not threads: most of a job's time is in Python and numpy between the samplers, and
what is in compiled code cannot be interrupted. They are forked by `concurrent.futures`, so that
they share the study's memory and the kernels that are compiled already; those of joblib, which is
none of the package's requirements, begin anew and are sent a copy each.
"""

import multiprocessing
import os
import signal
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress

from crowdgold.evaluation.fitting import Finding, run_job
from crowdgold.evaluation.jobs import Job, JobPlan
from crowdgold.evaluation.run_key import KeptJobs
from crowdgold.models.stan import StanModels
from crowdgold.system.temporary import scratch_folder
from crowdgold.types.errors import InputError

PROGRESS_EVERY = 5.0  # seconds between two lines of progress; what takes less says nothing
GRACE = 5.0  # seconds that a killed process has to be gone, before its files are removed
ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
START = "fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn"

Say = Callable[[str], None]
Shared = tuple[JobPlan, StanModels]
_shared: list[Shared] = []  # what every job of this process works on


def _end_with_parent(parent: int) -> None:
    """End this process, and those that it started, when its parent is gone: no signal tells."""
    while os.getppid() == parent:
        time.sleep(1)
    os.killpg(0, signal.SIGKILL)


def _prepare_process(folder: str, parent: int, shared: Shared) -> None:
    """Prepare a process: a group of its own with what it starts, and its files in one folder."""
    os.setpgrp()
    signal.set_wakeup_fd(-1)
    for ending in ENDINGS:  # an interrupt from the terminal is the parent's to take care of
        signal.signal(ending, signal.SIG_IGN if ending == signal.SIGINT else signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, args=(parent,), daemon=True).start()
    tempfile.tempdir = folder
    _shared[:] = [shared]


def _run_shared(job: Job) -> list[Finding]:
    return run_job(job, *_shared[0])


@contextmanager
def _started(
    jobs: Sequence[Job], cores: int, shared: Shared
) -> Iterator[dict[Future[list[Finding]], Job]]:
    """Jobs in processes, which end with the block, also where it is interrupted."""
    others = set(multiprocessing.active_children())
    context = multiprocessing.get_context(START)
    with scratch_folder("evaluate") as folder:
        arguments = (str(folder), os.getpid(), shared)
        pool = ProcessPoolExecutor(cores, context, _prepare_process, arguments)
        try:
            with signals_held(ENDINGS), warnings.catch_warnings():
                # Threads of libraries sleep by now; no process uses what they could have locked.
                warnings.filterwarnings("ignore", ".*multi-threaded.*fork", DeprecationWarning)
                futures = {pool.submit(_run_shared, job): job for job in jobs}
            yield futures
            pool.shutdown()
        finally:
            for process in set(multiprocessing.active_children()) - others:
                with suppress(OSError):  # there is no group yet where it has only just begun
                    os.killpg(process.pid or 0, signal.SIGKILL)
                process.kill()
                process.join(GRACE)
            # Without waiting, its thread may close a pipe that Python's end is writing to.
            pool.shutdown(cancel_futures=True)


@contextmanager
def signals_held(signals: Sequence[signal.Signals]) -> Iterator[None]:
    """Signals wait until the block ends: one that meets a fork, or a finalizer, would be lost.

    A mask would not do: it is one thread's, and any other thread would take the signal.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are the main thread's
        return
    arrived: list[int] = []
    before = {one: signal.getsignal(one) for one in signals}
    for one in signals:
        signal.signal(one, lambda number, frame: arrived.append(number))
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler or signal.SIG_DFL)
        for number in arrived:
            signal.raise_signal(number)


def run_jobs(
    jobs: Sequence[Job], planned: JobPlan, stan: StanModels, cores: int, say: Say, kept: KeptJobs
) -> list[Finding]:
    """What jobs find, in their order, from processes, so many as `cores` at a time.

    Models are compiled already, and jobs that take longest come first. `say` is told every few
    seconds how many are done. Jobs that an earlier, stopped run has `kept` are not run again, and
    those of this run are kept too. Raises an `InputError` where a process was ended from outside,
    for want of memory, say.
    """
    start = told = time.monotonic()
    found = kept.take_up(jobs)
    left = [job for job in jobs if job not in found]
    try:
        with _started(left, min(cores, max(1, len(jobs))), (planned, stan)) as waiting:
            while waiting:
                rest = max(0.0, told + PROGRESS_EVERY - time.monotonic())
                for future in wait(waiting, rest, FIRST_COMPLETED).done:
                    job = waiting.pop(future)
                    found[job] = future.result()
                    kept.add(job, found[job])
                if time.monotonic() - told >= PROGRESS_EVERY and waiting:
                    told = time.monotonic()
                    running = list(waiting.values())[:cores]
                    more = f" and {len(running) - 2} more" if len(running) > 2 else ""
                    say(
                        f"{len(found)} of {len(jobs)} jobs done; now "
                        f"{', '.join(map(str, running[:2]))}{more}; {told - start:.0f} s so far"
                    )
    except BaseException as error:
        with suppress(OSError):  # a closed pipe hides no error
            kept.tell()
        if not isinstance(error, BrokenProcessPool):
            raise
        raise InputError(
            "a process was ended from outside, perhaps for want of memory; try fewer --cores, or "
            "fewer items"
        ) from error
    return [one for job in jobs for one in found[job]]
