"""Public datasets: getting their files, preparing a table once, drawing tasks from it.

`fetch` and `availability` get the files, `DATASETS` holds what each dataset offers.
"""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd

from crowdgold.datasets import (
    chaosnli,
    convabuse,
    lewidi,
    mfrc,
    mslr,
    mt_bench,
    product_pairs,
    qags,
    stableval_published,
    wikipedia,
)
from crowdgold.datasets.dataset import TABLE_4, Dataset, drawn_as_it_is
from crowdgold.datasets.fetching import DatasetUnavailable, availability, fetch
from crowdgold.datasets.pinned import SOURCES
from crowdgold.types.items import ANNOTATIONS

__all__ = ["DATASETS", "SOURCES", "Dataset", "DatasetUnavailable", "availability", "fetch"]

REST = "the majority of the {} labels or so that are not votes"  # what gold is


def _voted(name: str, title: str, module: ModuleType, gold: str, suffix: str = "") -> Dataset:
    """A dataset of votes on items with true labels, which `gold` says the source of."""
    prepare = getattr(module, f"prepare{suffix}")
    return Dataset(name, title, prepare, module.draw_task, module.NAMES, gold=gold)


def _judged(name: str, title: str, module: ModuleType, **other: Any) -> Dataset:
    """A dataset of responses of systems, each judged by annotators."""
    return Dataset(name, title, module.prepare, module.draw_task, table=ANNOTATIONS, **other)


def _texts(name: str, prepare: Callable[[Path], pd.DataFrame]) -> Dataset:
    """A dataset of texts that several people judged."""
    about = TABLE_4[name]
    draw = drawn_as_it_is(about.owner, about.classes, about.lack)
    return Dataset(name, about.title, prepare, draw, table=ANNOTATIONS)


_ALL = (
    _voted("product_pairs", "Product pairs", product_pairs, "published with the votes"),
    _voted("chaosnli", "ChaosNLI", chaosnli, REST.format(97)),
    _voted("wikipedia_talk", "Wikipedia talk labels", wikipedia, REST.format(7), "_talk"),
    _voted(
        "wikipedia_conversations", "Wikipedia Abusive Conversations", wikipedia, REST.format(7),
        "_conversations",
    ),
    _judged("mt_bench", "MT-Bench", mt_bench, parameters=mt_bench.NAMES),
    _judged("convabuse", "ConvAbuse", convabuse),
    _judged("qags", "QAGS", qags),
    _judged("mslr", "MSLR", mslr),
    _judged("stableval_published", "STABLEVAL's published posteriors", stableval_published),
    _texts("hs_brexit", lewidi.prepare_hs_brexit),
    _texts("md_agreement", lewidi.prepare_md_agreement),
    _texts("armis", lewidi.prepare_armis),
    _texts("chaosnli_texts", chaosnli.prepare_texts),
    _texts("mfrc", mfrc.prepare),
)  # fmt: skip
DATASETS = {one.name: one for one in _ALL}
