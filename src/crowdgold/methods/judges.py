"""judges and judges-R: who said what, of few named judges who may err together (ours).

`judges` is the model of stan/judges.stan, and of scores that of MAVEN-C, by the cut.
`judges-R` lets the gold labels correct a prediction: the regression of logistic-R, with the log
odds of the label given who said what in the place of the share of votes. Scores enter it by the
regression. The fits are in `judges_fit`.
"""

from crowdgold.methods.doubts import OF_GOLD, OF_MODELS, WITH_GOLD
from crowdgold.methods.judges_fit import NamedJudges, ScoredJudges, fit_panel, rectified
from crowdgold.methods.method import CORRECTED, MODEL, Method, Offer, Style
from crowdgold.methods.needs import FEW_ANNOTATORS, GOLD, SEVERAL

POSTERIOR = Method(
    name="judges",
    title="named judges with a common item effect",
    about=(
        "A model of few named judges: each has error rates of its own, and all may err together "
        "on hard items. Scores, where there are some, are modelled given each of its draws."
    ),
    of_items=fit_panel,
    settings=ScoredJudges,
    needs=(FEW_ANNOTATORS, SEVERAL),
    stan_models=lambda settings: ("judges",),
    style=Style("#AA4499", "v", "-."),
    offer=Offer(
        use="a model of few named judges, who may err together, and of scores",
        assumes=(
            "Each judge has error rates of its own, and one difficulty of the item, the same for "
            "all judges, makes them err together. Judges who copy one another, or who differ in "
            "camps, are not in it. Where all err together very often and few gold labels are "
            "positive, the prior pulls the correlation down: rates look too high, and their "
            "intervals are too short (docs/judges.md has how often). Scores rank the items by a "
            "normal utility that depends on the label, and on how likely the panel is to call the "
            "item positive. A score that follows one judge, such as that judge's own confidence, "
            "is not in it: its AUC looks too high, with a short interval."
        ),
        roles=(MODEL,),
        doubts=OF_MODELS,
        stream=12,
        work=3,
        fit_of="judges",
    ),
)
RECTIFIED = Method(
    name="judges-R",
    title="named judges with a common item effect, rectified by the gold labels",
    about=(
        "A regression on the log odds of the label given who said what, by the model `judges`, "
        "and on the ranks of all scores; corrected by the gold labels."
    ),
    of_items=rectified,
    settings=NamedJudges,
    needs=(GOLD, FEW_ANNOTATORS, SEVERAL),
    stan_models=lambda settings: ("judges",),
    style=Style("#CC3399", "d", "--"),
    offer=Offer(
        use="who said what and scores, corrected by the gold labels",
        assumes=(
            "Predicts every label from who gave which vote and from the models' scores, and lets "
            "the gold labels correct the prediction. Right whatever the judges are like, "
            f"{WITH_GOLD} A bad prediction makes intervals wider, not wrong."
        ),
        roles=(CORRECTED,),
        doubts=OF_GOLD,
        stream=13,
        work=2,
        fit_of="judges",
    ),
)
