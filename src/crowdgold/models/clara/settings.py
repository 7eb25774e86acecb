"""How CLARA's posterior is sampled, as a declaration."""

from dataclasses import dataclass
from typing import Annotated, Literal

from crowdgold.declared import AtLeast, Settings, refuse
from crowdgold.models.label_patterns import Confusion

Scale = Annotated[
    Literal["given", "log_ratio"],
    "The scale on which scores are normal within a class: as `given`, as printed, or the "
    "`log_ratio` of their parts.",
]


@dataclass(frozen=True)
class ClaraSettings(Settings):
    """How CLARA samples; the numbers are the paper's (section 7.1)."""

    confusion: Annotated[
        Confusion,
        "Whose confusion matrices there are: one for each `annotator`, one for each `group`, or "
        "one that is `shared`.",
    ] = "annotator"
    sampler: Annotated[
        Literal["blocked", "collapsed"],
        "`blocked` draws the rates, then all true labels at once; `collapsed`, as published, one "
        "true label after the other without the rates.",
    ] = "blocked"
    conditional: Annotated[
        Literal["exact", "printed"],
        "Of the collapsed sampler: `exact`, or as `printed` (equation 1), which differs where a "
        "matrix gives several labels on an item.",
    ] = "exact"
    gaussians: Annotated[
        Literal["likelihood", "posterior"],
        "The distributions of a classifier's scores: by maximum `likelihood`, or drawn from their "
        "`posterior`.",
    ] = "likelihood"
    score_scale: Scale = "given"
    ordered: Annotated[bool, "Whether the prior is cut to TPR + TNR > 1."] = False
    # Their upper bounds are what a machine can do and keep.
    chains: Annotated[int, AtLeast(1, 1_000), "Chains of each fit; R-hat needs two."] = 4
    warmup: Annotated[int, AtLeast(0, 10**9), "Sweeps of each chain that are thrown away."] = 2000
    draws: Annotated[
        int,
        AtLeast(1, 10**7),
        "Draws of each chain that are kept, at first: more where the chains have to be continued.",
    ] = 2000
    lag: Annotated[int, AtLeast(1, 10**6), "Sweeps from one kept draw to the next."] = 5

    def agree(self) -> None:
        """Refuse what only the other sampler can do."""
        if self.sampler == "blocked" and self.conditional == "printed":
            refuse("conditional 'printed' is one of the collapsed sampler")
        if self.sampler == "collapsed" and self.ordered:
            refuse("ordered: the cut prior is not conjugate; take the blocked sampler")
