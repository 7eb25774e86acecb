"""Training with human label variation: 14 methods over any encoder of texts (HLV, section 4).

`methods` lists them, `judgements` holds what people chose, `training_sets` is what each method
trains on. PyTorch, an optional package, is needed by `losses`, `training`, `study` and
`transformer_encoder` alone; other modules import these where they use them, not when loaded.
"""

from crowdgold.studies.label_variation.judgements import Judged
from crowdgold.studies.label_variation.methods import (
    METHODS,
    TrainingMethod,
    overview,
    why_left_out,
)

__all__ = ["METHODS", "Judged", "TrainingMethod", "overview", "why_left_out"]
