"""Random streams, one for each (experiment, setting, replicate, role).

A stream depends on what it is for and on nothing else: not on the order of the jobs, on the size
of a block, or on which other settings and methods run. The method is no part of the key of the
data, so every method sees the same data.
"""

import hashlib

import numpy as np


def word(text: str) -> int:
    """Turn text into a whole number, the same one in every process and on every machine."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def seed_sequence(
    seed: int, experiment: str, setting: str, replicate: int, role: str
) -> np.random.SeedSequence:
    """The seed sequence of one role in one replicate.

    Args:
        seed: the configuration's seed.
        experiment: name of the experiment.
        setting: name of the setting, as `settings.setting_name` writes it.
        replicate: number of the replicate, from 0.
        role: what the numbers are for, e.g. "data" or "fit:MAVEN".

    Raises:
        ValueError: where the seed or the replicate is negative.
    """
    if seed < 0 or replicate < 0:
        raise ValueError(f"seed and replicate must be 0 or more; found {seed} and {replicate}")
    return np.random.SeedSequence([seed, word(experiment), word(setting), replicate, word(role)])


def generator(
    seed: int, experiment: str, setting: str, replicate: int, role: str
) -> np.random.Generator:
    """The random generator of one role in one replicate; arguments as `seed_sequence`."""
    return np.random.Generator(
        np.random.PCG64(seed_sequence(seed, experiment, setting, replicate, role))
    )
