"""Methods by the papers' short names."""

from crowdgold.inference.labels import LabelPrediction, MeanPrediction
from crowdgold.methods import annotation_fitters, fitters
from crowdgold.methods.annotation_fitters import (
    CLARA_SETTINGS,
    JUDGED_GROUPS,
    LEVEL_SETTINGS,
    of_labels,
)
from crowdgold.methods.fitters import MAVEN_SETTINGS
from crowdgold.methods.method import Method, Models
from crowdgold.methods.needs import ANNOTATORS, BOTH_CLASSES, GOLD, ORACLE, SCORES, SEVERAL

NESTED = ("cut", "nested")
PAIRWISE_OR_CALIBRATED: Models = {
    (NESTED, ("score_likelihood", None)): ("score",),
    (NESTED, ("score_likelihood", "pairwise")): ("score",),
    (NESTED, ("score_likelihood", "calibrated")): ("score_ordinal",),
}
JUDGED = ("judge_error", "annotated_majority")
PREVALENCE = "prevalence"
OF_MEANS = (PREVALENCE, "accuracy")
"""Metrics that are means over items."""
OF_RATES = (PREVALENCE, "TPR_H", "TNR_H")
"""Metrics of labels and votes, without scores."""
CALIBRATED: Models = {(NESTED,): ("score_ordinal",)}


def _clara(name: str, title: str, **flags: bool) -> Method:
    """CLARA, or a variant of it by the flags of its fitter."""
    fitter = annotation_fitters.clara(**flags)
    return Method(
        name,
        title,
        of_labels(fitter),
        ("clara",),
        annotations_fitter=fitter,
        needs=(ANNOTATORS, SEVERAL),
        uses_gold=False,
        estimates=OF_RATES,
        own_settings=CLARA_SETTINGS,
        takes_weights=False,
    )


_ALL = (
    Method(
        "MV",
        "majority vote",
        fitters.majority_vote,
        ("votes_and_gold", "annotated_majority"),
        annotations_fitter=annotation_fitters.annotated_majority,
        uses_gold=False,
        own_settings=("judges", "ties"),
    ),
    Method(
        "GT",
        "gold labels only",
        fitters.gold,
        ("votes_and_gold",),
        needs=(GOLD,),
    ),
    Method(
        "GT+MV",
        "gold labels, and the majority vote elsewhere",
        fitters.gold_and_majority_vote,
        ("votes_and_gold",),
        needs=(GOLD,),
    ),
    Method(
        "DS",
        "Dawid-Skene",
        fitters.dawid_skene,
        ("dawid_skene", "confusion_em"),
        models_of_settings={(("em", None),): ("dawid_skene",)},
        annotations_fitter=annotation_fitters.levels("DS", hard=True),
        own_settings=("phi_prior", "em"),
    ),
    Method(
        "PEC",
        "posterior expected credit (STABLEVAL)",
        of_labels(annotation_fitters.levels("PEC", hard=False)),
        ("confusion_em",),
        annotations_fitter=annotation_fitters.levels("PEC", hard=False),
        needs=(ANNOTATORS, SEVERAL),
        uses_gold=False,
        own_settings=("em",),
    ),
    Method(
        "PEC-two-way",
        "PEC with a bootstrap over responses and annotators",
        None,
        ("agent_draws",),
        annotations_fitter=annotation_fitters.two_way,
        own_settings=("em", "resamples"),
    ),
    Method(
        "PEC-posterior",
        "PEC from the full posterior, a class prior for each agent",
        None,
        ("agent_draws",),
        annotations_fitter=annotation_fitters.level_posterior,
        own_settings=LEVEL_SETTINGS,
    ),
    Method(
        "ORACLE",
        "imputation from the true P(Y | V)",
        fitters.oracle,
        ("oracle",),
        needs=(ORACLE,),
    ),
    Method(
        "DS+S",
        "Dawid-Skene with scores",
        fitters.dawid_skene_scores,
        ("dawid_skene_scores",),
        ("dawid_skene_scores",),
        needs=(SCORES,),
        own_settings=("scores",),
    ),
    Method(
        "H-AI",
        "human-AI complementarity",
        fitters.human_ai,
        ("human_ai",),
        ("human_ai",),
        needs=(SCORES,),
        own_settings=("scores", "epsilon"),
    ),
    Method(
        "MAVEN",
        "MAVEN",
        fitters.maven,
        ("maven",),
        ("vote",),
        PAIRWISE_OR_CALIBRATED,
        needs=(SCORES,),
        own_settings=MAVEN_SETTINGS,
    ),
    Method(
        "MAVEN-R",
        "MAVEN, rectified by the gold labels",
        fitters.maven_corrected("MAVEN-R", LabelPrediction),
        ("maven", "label_prediction"),
        ("vote",),
        PAIRWISE_OR_CALIBRATED,
        needs=(GOLD, SCORES),
        own_settings=MAVEN_SETTINGS,
    ),
    Method(
        "score-R",
        "raw scores, rectified by the gold labels",
        fitters.corrected("score-R", fitters.from_scores, LabelPrediction),
        ("label_prediction",),
        needs=(GOLD, SCORES),
    ),
    Method(
        "votes-R",
        "vote shares, rectified by the gold labels",
        fitters.corrected("votes-R", fitters.from_votes, LabelPrediction),
        ("label_prediction",),
        needs=(GOLD,),
    ),
    Method(
        "logistic-R",
        "cross-fitted logistic regression, rectified by the gold labels",
        fitters.corrected("logistic-R", fitters.from_regression, LabelPrediction),
        ("logistic", "label_prediction"),
        needs=(GOLD,),
    ),
    Method(
        "AutoEval",
        "AutoEval from raw scores",
        fitters.corrected("AutoEval", fitters.from_scores, MeanPrediction),
        ("label_prediction",),
        needs=(GOLD, SCORES),
        estimates=OF_MEANS,
        takes_weights=False,
    ),
    Method(
        "AutoEval+MAVEN",
        "AutoEval from MAVEN's posterior probabilities",
        fitters.maven_corrected("AutoEval+MAVEN", MeanPrediction),
        ("maven", "label_prediction"),
        ("vote",),
        PAIRWISE_OR_CALIBRATED,
        needs=(GOLD, SCORES),
        estimates=OF_MEANS,
        own_settings=MAVEN_SETTINGS,
    ),
    Method(
        "MAVEN-C",
        "MAVEN with the calibrated score likelihood",
        fitters.maven,
        ("maven",),
        ("vote",),
        CALIBRATED,
        needs=(SCORES,),
        own_settings=MAVEN_SETTINGS,
        preset={"score_likelihood": "calibrated", "positive_sd": False},
    ),
    Method(
        "MAVEN-CS",
        "MAVEN-C with a standard deviation of positives of its own",
        fitters.maven,
        ("maven",),
        ("vote",),
        CALIBRATED,
        needs=(SCORES,),
        own_settings=MAVEN_SETTINGS,
        preset={"score_likelihood": "calibrated", "positive_sd": True},
    ),
    _clara("CLARA", "CLARA"),
    _clara("CLARA-printed", "CLARA with the published interval of the prevalence", printed=True),
    _clara("CLARA-ordered", "CLARA with its prior cut to TPR + TNR > 1", ordered=True),
    Method(
        "CLARA+S",
        "CLARA with the scores of a model",
        annotation_fitters.clara_with_scores,
        ("clara",),
        needs=(ANNOTATORS, SEVERAL, SCORES),
        uses_gold=False,
        estimates=OF_RATES,
        own_settings=CLARA_SETTINGS,
    ),
    Method(
        "Snorkel",
        "Snorkel's label model",
        of_labels(annotation_fitters.snorkel),
        ("snorkel",),
        annotations_fitter=annotation_fitters.snorkel,
        needs=(ANNOTATORS, SEVERAL),
        uses_gold=False,
        package="snorkel",
    ),
    Method(
        "Rogan-Gladen",
        "the share judged positive, corrected for the judges' errors",
        fitters.rogan_gladen,
        JUDGED,
        annotations_fitter=annotation_fitters.rogan_gladen,
        needs=(BOTH_CLASSES,),
        estimates=(PREVALENCE,),
        own_settings=("interval", "outside", *JUDGED_GROUPS),
        takes_weights=False,
    ),
    Method(
        "Rogan-Gladen-adjusted",
        "Rogan-Gladen with the interval of Lang and Reiczigel",
        fitters.rogan_gladen,
        JUDGED,
        annotations_fitter=annotation_fitters.rogan_gladen,
        needs=(BOTH_CLASSES,),
        estimates=(PREVALENCE,),
        own_settings=JUDGED_GROUPS,
        preset={"interval": "adjusted"},
    ),
    Method(
        "Rogan-Gladen-Bayes",
        "the posterior of the rate and of the judges' TPR and TNR",
        None,
        JUDGED,
        annotations_fitter=annotation_fitters.rate_posterior,
        own_settings=("draws", *JUDGED_GROUPS),
    ),
    Method(
        "PPI++",
        "the power-tuned mean of judgements and gold labels",
        None,
        JUDGED,
        annotations_fitter=annotation_fitters.power_tuned_judgements,
        own_settings=JUDGED_GROUPS,
    ),
    Method(
        "MAVEN-votes",
        "MAVEN's vote model, without scores",
        None,
        JUDGED,
        ("vote",),
        annotations_fitter=annotation_fitters.vote_model,
        own_settings=JUDGED_GROUPS,
    ),
)

METHODS: dict[str, Method] = {method.name: method for method in _ALL}
"""The methods by their short names, in the order in which figures show them."""
