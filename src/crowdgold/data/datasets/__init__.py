"""Public datasets: getting their files, preparing a table once, drawing tasks from it.

`fetch` and `availability` get the files, `DATASETS` holds what each dataset offers.
"""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pandas as pd

from crowdgold.data.datasets import (
    chaosnli,
    chaosnli_texts,
    convabuse,
    lewidi,
    mfrc,
    mslr,
    mt_bench,
    product_pairs,
    qags,
    stableval_published,
    stableval_synthetic,
    wikipedia,
)
from crowdgold.data.datasets.dataset import Dataset
from crowdgold.data.datasets.pinned import SOURCES
from crowdgold.data.datasets.sources import DatasetUnavailable, availability, fetch
from crowdgold.data.datasets.table_4 import drawn_as_annotations
from crowdgold.data.judged_texts import TABLE_4, JudgedTexts
from crowdgold.data.kinds import ANNOTATIONS

__all__ = ["DATASETS", "SOURCES", "Dataset", "DatasetUnavailable", "availability", "fetch"]


NOBODYS_GOLD = "it has the annotators' labels alone, and nobody's are gold"


def _judged(
    name: str,
    title: str,
    module: ModuleType,
    parameters: tuple[str, ...] = (),
    numbered: bool = False,
    no_gold: str = NOBODYS_GOLD,
) -> Dataset:
    """A dataset of judged systems."""
    source = SOURCES[name]
    return Dataset(
        name=name,
        title=title,
        prepare=module.prepare,
        draw_task=module.draw_task,
        parameters=parameters,
        citation=source.citation,
        licence=source.licence,
        table=ANNOTATIONS,
        numbered=numbered,
        no_gold=no_gold,
    )


def _texts(
    about: JudgedTexts, prepare: Callable[[Path], pd.DataFrame], no_gold: str = NOBODYS_GOLD
) -> Dataset:
    """A dataset of texts that several people judged."""
    source = SOURCES[about.name]
    return Dataset(
        name=about.name,
        title=about.title,
        prepare=prepare,
        draw_task=drawn_as_annotations(about),
        parameters=(),
        citation=source.citation,
        licence=source.licence,
        table=ANNOTATIONS,
        no_gold=no_gold,
    )


DATASETS = {
    "product_pairs": Dataset(
        name="product_pairs",
        title="Product pairs",
        prepare=product_pairs.prepare,
        draw_task=product_pairs.draw_task,
        parameters=product_pairs.NAMES,
        citation=SOURCES["product_pairs"].citation,
        licence=SOURCES["product_pairs"].licence,
        gold="published with the votes",
    ),
    "chaosnli": Dataset(
        name="chaosnli",
        title="ChaosNLI",
        prepare=chaosnli.prepare,
        draw_task=chaosnli.draw_task,
        parameters=chaosnli.NAMES,
        citation=SOURCES["chaosnli"].citation,
        licence=SOURCES["chaosnli"].licence,
        gold="the majority of the 97 labels or so that are not votes",
    ),
    "wikipedia_talk": Dataset(
        name="wikipedia_talk",
        title="Wikipedia talk labels",
        prepare=wikipedia.prepare_talk,
        draw_task=wikipedia.draw_task,
        parameters=wikipedia.NAMES,
        citation=SOURCES["wikipedia_talk"].citation,
        licence=SOURCES["wikipedia_talk"].licence,
        gold="the majority of the 7 labels or so that are not votes",
    ),
    "wikipedia_conversations": Dataset(
        name="wikipedia_conversations",
        title="Wikipedia Abusive Conversations",
        prepare=wikipedia.prepare_conversations,
        draw_task=wikipedia.draw_task,
        parameters=wikipedia.NAMES,
        citation=SOURCES["wikipedia_conversations"].citation,
        licence=SOURCES["wikipedia_conversations"].licence,
        gold="the majority of the 7 labels or so that are not votes",
    ),
    "mt_bench": _judged("mt_bench", "MT-Bench", mt_bench, mt_bench.NAMES),
    "convabuse": _judged("convabuse", "ConvAbuse", convabuse),
    "qags": _judged("qags", "QAGS", qags),
    "mslr": _judged("mslr", "MSLR", mslr),
    "stableval_published": _judged(
        "stableval_published",
        "STABLEVAL's published posteriors",
        stableval_published,
        no_gold="it has the posteriors of a fit, and no true labels",
    ),
    "stableval_synthetic": _judged(
        "stableval_synthetic",
        "STABLEVAL's simulated labels",
        stableval_synthetic,
        stableval_synthetic.NAMES,
        numbered=True,
        no_gold="its true labels are simulated; that process is among the generators",
    ),
    "hs_brexit": _texts(TABLE_4["hs_brexit"], lewidi.prepare_hs_brexit),
    "md_agreement": _texts(TABLE_4["md_agreement"], lewidi.prepare_md_agreement),
    "armis": _texts(TABLE_4["armis"], lewidi.prepare_armis),
    "chaosnli_texts": _texts(
        TABLE_4["chaosnli_texts"],
        chaosnli_texts.prepare,
        no_gold="it has the texts of `chaosnli`, which has the gold",
    ),
    "mfrc": _texts(TABLE_4["mfrc"], mfrc.prepare),
}
