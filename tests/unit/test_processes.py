"""Processes of an evaluation begin as one, whatever signal meets their start."""

import signal
import threading
import time

import pytest

from crowdgold.evaluation.processes import held


def test_a_signal_that_another_thread_takes_is_kept_until_processes_have_begun():
    """A mask, which is one thread's, would not have held it back."""
    inside, done = [], threading.Event()
    other = threading.Thread(target=done.wait)

    def begin():
        with held([signal.SIGINT]):
            signal.pthread_kill(other.ident, signal.SIGINT)
            time.sleep(0.05)
            inside.append("to the end")

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    other.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            begin()
        assert inside == ["to the end"]
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
        done.set()
        other.join()
