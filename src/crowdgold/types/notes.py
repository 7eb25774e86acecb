"""Notes: what is said beside a number, as a code with values; its sentence stands here alone.

Decisions look at codes. Whatever speaks to a reader, a table, a page or a JSON file, takes the
sentence from `CATALOGUE`, so that a change of words is a change of one line.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from string import Formatter
from typing import Any, NamedTuple

from crowdgold.types.columns import list_guessed, list_names

FATAL, GRAVE, MINOR, GUESSED, TOLD = WEIGHTS = ("fatal", "grave", "minor", "guessed", "told")
"""No answer for it; it may be wrong by any amount; it may be a little wrong; it was guessed of a
file; to be known."""


class Words(NamedTuple):
    """How a note is said, with places for its values."""

    text: str  # a clause without its last stop; sentences where it is a doubt
    title: str = ""  # above the text in a report
    weight: str = TOLD  # one of `WEIGHTS`, where a note does not say another
    mend: str = ""  # what would mend it


def _lack(text: str, mend: str = "") -> Words:
    """How it is said that a method cannot be used."""
    return Words(text, weight=FATAL, mend=mend)


def _doubt(text: str, mend: str) -> Words:
    """How it is said what speaks against a method."""
    return Words(text, weight=MINOR, mend=mend)


def _guess(text: str) -> Words:
    """How it is said what was guessed of a file."""
    return Words(text, weight=GUESSED)


MORE_GOLD = "have an expert label more items, drawn at random"
FIRST_GOLD = "have an expert label items that `crowdgold sample` draws"
"""What is advised where there is no gold label yet."""
HAVE_SEVERAL = "have items labelled by several annotators"
GIVE_VOTES = "give votes as item, annotator, label"
KNOWN_ERRORS = (
    "have a second expert label some gold items, and a third where the two differ "
    "(`crowdgold sample --second`), or say how often experts err: --expert-error 0.05"
)
ALL_LOOKS = (
    "you may look after every label and stop when you like: intervals hold over all looks. For "
    "that they are wider than those of one look: {costs}. Keep --anytime {planned}. Intervals of "
    "models are for one look"
)
NUMBERS_IN = "numbers in estimates.csv"
RECORDS = "{file}: {kind}: {records}"  # what a tool wrote
NAMED = f"{RECORDS}, items named by {{named}}"
CLUSTERED = ", so that intervals may be wider than planned: {effect}"
PLANNED = (
    "widths and labels are those of {method}, which takes gold labels for true. `crowdgold "
    "evaluate` corrects experts' errors by {correcting}, whose interval is now {wider:.2g} times "
    "as wide."
)
GOLD_OF_EXPERTS = "gold is the majority of {experts} experts"
DRAWN = "the table says with which chances gold items were drawn"
COST = (
    "the weight of a label is {least:.2g} to {most:.2g} times the average; all {labels:,} tell as "
    "much as {equal:,.0f} labels of equal weight"
)
CATALOGUE: Mapping[str, Words] = {
    # Why gold labels correct nothing.
    "no_gold": Words(
        "no gold labels: votes and scores allow a range and no more; the number of a model rests "
        "on what it assumes, and nothing checks it"
    ),
    "single_gold": Words(
        "a single gold label corrects nothing: votes and scores allow a range and no more; the "
        "number of a model rests on what it assumes, and nothing checks it"
    ),
    "too_few_gold": Words(
        "gold labels are too few for an answer: votes and scores allow a range and no more; the "
        "number of a model rests on what it assumes, and hardly anything checks it"
    ),
    "gold_surely_chosen": Words(
        "{surely}: the numbers rest on a model of votes and scores, where there is one, and gold "
        "labels cannot check it"
    ),
    "only_models": Words(
        "only models were asked for: the numbers rest on them, and gold labels do not correct them"
    ),
    # What is said of an estimate.
    "gold_alone": Words("from the gold labels alone: the prediction makes it no surer"),
    "parts_apart": Words(
        "the two values themselves do not differ by it: gold labels correct a prediction for some "
        "of the three numbers, and stand alone for others. The difference is of the same items "
        "for both, and is the one to go by"
    ),
    "rests_on_few": Words("it rests on {number:counted {units}}"),
    "exact_bound": Words(
        "it rests on {number:counted {units}}, so that the interval is an exact bound"
    ),
    "vague": Words("no interval: it could have nearly any value", weight=FATAL),
    "left_open": Words(
        "no interval: a stratum, or items that count for as many others, has so few gold labels "
        "that they leave more than half of the range open",
        weight=FATAL,
    ),
    "all_alike": Words(
        "no interval: the gold items are all alike, and show no spread", weight=FATAL
    ),
    "no_value": Words("the gold items leave it without a value", weight=FATAL),
    "no_value_of_draws": Words("the labels leave it without a value", weight=FATAL),
    "no_difference": Words("it gives no difference of two predictors", weight=FATAL),
    "annotators_apart": Words(
        "this is of all votes together, and annotators differ: {lowest} has {low:.2f}, {highest} "
        "{high:.2f}; annotators.csv has each",
        weight=MINOR,
    ),
    "scores_of": Words("with the scores of {model}"),
    "no_labels_for_it": Words("no labels count for it"),
    "no_gold_of_annotator": Words("none of its items has a gold label"),
    "no_labels": Words("no labels"),
    "no_response_labelled": Words("no response of it has a label"),
    "all_agents_tied": Words("all agents tied in every draw"),
    "no_posterior": Words("it has no posterior"),
    "no_matrices": Words("it has no confusion matrices"),
    "no_probabilities": Words("it has no posterior probabilities"),
    "no_interval_known": Words("it has no interval"),
    "metric_not_asked": Words("the metric was not asked for"),
    "metric_of_scores": Words("the metric needs scores of a model; there are none"),
    "no_rate": Words("no rate: {problem}"),
    "not_a_mean": Words("not a mean of item-level values; AutoEval estimates {means} only"),
    "swapped": Words(
        "{swapped:.1%} of the posterior has labels swapped (TPR + TNR < 1), a second mode; cut the "
        "prior (CLARA-ordered) or make it firmer (gamma)"
    ),
    # Why a method gives no answer.
    "no_number": Words("no value", weight=FATAL),
    "no_interval": Words("no interval", weight=FATAL),
    "without_scores": Words("it does not use the scores"),
    "not_converged": Words("its chains had not converged ({message})"),
    "contradicted": Words("the gold labels contradict it"),
    "too_wide": Words(
        f"its interval, {{lower:.3f}} to {{upper:.3f}}, says next to nothing; {NUMBERS_IN}",
        weight=FATAL,
    ),
    "model_beside_gold": Words("it is a model, which is no answer where there are gold labels"),
    "takes_gold_for_true": Words(
        f"it takes gold labels for the truth, and experts err; {NUMBERS_IN}"
    ),
    "not_from_this_gold": Words(f"it rests on these gold items; {NUMBERS_IN}"),
    "not_by_itself": Words(f"it is no answer by itself; {NUMBERS_IN}"),
    "no_model": Words(
        "no model was fitted that could answer (--no-models leaves them out)", weight=FATAL
    ),
    "wide": Words(
        "the interval has more than half of the values that the metric can take, and says little",
        weight=MINOR,
    ),
    # Why a method is not run, or has no number.
    "no_gold_labels": _lack("it needs gold labels; there are 0, expected at least 2", FIRST_GOLD),
    "one_gold_label": _lack(
        "it needs gold labels; there is {gold}, expected at least 2", MORE_GOLD
    ),
    "no_classes": _lack("it needs gold labels of both classes; there are none", FIRST_GOLD),
    "one_class": _lack(
        "it needs gold labels of both classes; found {gold:counted gold labels}, of one class",
        MORE_GOLD,
    ),
    "no_scores": _lack(
        "it needs scores of a model; there are none", "add a file with the columns item and score"
    ),
    "no_votes": _lack("it needs votes; there are none", GIVE_VOTES),
    "no_annotators": Words("it needs to know who gave each vote", weight=FATAL, mend=GIVE_VOTES),
    "no_few_annotators": Words(
        "it needs to know who gave each vote",
        weight=FATAL,
        mend=f"{GIVE_VOTES}, of {{fewest}} to {{most}} annotators",
    ),
    "not_few_annotators": _lack(
        "it needs to know who gave each vote, and {fewest} to {most} annotators in all; found "
        "{annotators}",
        f"{GIVE_VOTES}, of {{fewest}} to {{most}} annotators",
    ),
    "no_several": _lack("it needs items with several votes; each has one", HAVE_SEVERAL),
    "no_agents": _lack(
        "it needs to know whose response each item is: a column agent", "add a column agent"
    ),
    "no_oracle": _lack(
        "it needs P(Y | V), which only some simulators tell: oracle", "simulate the data"
    ),
    "errors_unknown": _lack("it needs to know how often experts err; {why}", KNOWN_ERRORS),
    "no_package": _lack(
        "it needs the package {package}, which is not installed",
    ),
    "other_table": Words("it takes a table of {tables}", weight=FATAL),
    "takes_no_weights": Words("it takes no weights of items", weight=FATAL),
    "not_two_labels": Words("it needs two kinds of labels; there are {number}", weight=FATAL),
    "no_stan": Words("it needs Stan, through {package}", weight=FATAL),
    "no_stan_model": Words("its Stan model cannot be had: {problem}", weight=FATAL),
    "estimates_others": Words("it estimates {metrics:list} only", weight=FATAL),
    "failed": Words("it failed: {error}", weight=FATAL),
    "none_scored": Words(
        "no item has a score of {models}; have {whose} score {which}", weight=FATAL
    ),
    "no_gold_scored": _lack(
        "none of the {whole} has a score of {models}; have {whose} score {which}"
    ),
    "few_gold_scored": _lack(
        "{gold} of the {whole} {have} a score of {models}, expected at least {least}; have {whose} "
        "score {which}"
    ),
    # What speaks against a method.
    "few_of_rarer": _doubt(
        "{gold:counted gold labels} of a class; below {fewest} some metrics get no interval",
        MORE_GOLD,
    ),
    "fewer_than_measured": _doubt(
        "{gold:counted gold labels}; how often intervals are right was measured with {measured} or "
        "more",
        MORE_GOLD,
    ),
    "gold_chosen": _doubt(
        "{misfit} (p = {p:.2g})", "have an expert label items that are drawn at random"
    ),
    "gold_taken_for_true": _doubt(
        "takes gold labels for true; experts err on {errors:.2g} % of a class",
        "take a method that corrects experts' errors",
    ),
    "few_items": _doubt(
        "{items:counted items}; below {enough} the priors say too much", "add items"
    ),
    "fewer_than_three_votes": _lack(
        "without gold the votes' errors are known only where items have three votes",
        f"add votes, or {FIRST_GOLD}",
    ),
    "votes_trusted": _doubt(
        "without gold it takes votes to be right more often than not", FIRST_GOLD
    ),
    "one_vote": _doubt(
        "one vote an item: how votes of an item agree follows the prior",
        "have some items labelled by several annotators",
    ),
    "votes_at_random": _doubt(
        "votes agree no more than at random", "look at the annotators and at their instructions"
    ),
    "errors_together": _doubt(
        "judges err together here (correlation of their errors {correlation:.2f} or more), and it "
        "takes them to err independently",
        "take a method that gold labels correct",
    ),
    "fewer_than_three_labels": _doubt(
        "fewer than three labels an item: who is right follows the prior",
        "have items labelled by three or more annotators",
    ),
    "labels_at_random": _lack("labels agree no more than at random", HAVE_SEVERAL),
    "few_labels_each": _doubt(
        "half of the annotators have fewer than {few} labels",
        "have each annotator label more items",
    ),
    "many_against": _doubt(
        "{adversarial} of {annotators} annotators label against the others",
        "check that their labels are not swapped",
    ),
    "rare_labels": _doubt(
        "{rare:.1f} % of the labels are of one class: labels may come out swapped",
        "use CLARA-ordered",
    ),
    "too_short": _doubt(
        "its intervals of AUC and delta TPR are too short, whatever the data",
        "read logistic-R or MAVEN-C",
    ),
    "majority_errs": _doubt(
        "it takes the majority for the truth, which errs on {errors:.0f} % of the gold items",
        "use a method that models the votes' errors",
    ),
    "majority_below_chance": _lack(
        "TPR + TNR of the majority is {both:.2f}, not above 1", "check that labels are not swapped"
    ),
    "majority_near_chance": _doubt(
        "TPR + TNR of the majority is {both:.2f}, hardly above 1", "have better or more votes"
    ),
    # Why there is no range without gold labels.
    "range_not_known": Words("votes and scores alone give it no range", weight=FATAL),
    "range_of_single_votes": Words("too few items have two votes", weight=FATAL),
    "range_of_others": Words(
        "the range leaves out judges who vote against the others, and this is of all votes",
        weight=FATAL,
    ),
    "range_contradicted": Words("the votes contradict what is assumed of the judges", weight=FATAL),
    "range_too_wide": Words(
        "the data allow anything from {lower:.2f} to {upper:.2f}", weight=FATAL
    ),
    # What the data check warns of.
    "gold_misfit": Words("{misfit} (p = {p:.2g}). {mend}"),
    "gold_uneven": Words(
        "the items with a gold label do not look like a random sample of all items (p = {p:.2g}): "
        "the {feature} is {gold:.3g} on average among them and {others:.3g} among the others. "
        "Every estimator takes gold items to be chosen at random; if they were chosen by votes, "
        "scores or difficulty, its numbers are wrong. {mend}"
    ),
    "first_batch_uneven": Words(
        "the items of the first batch of gold labels do not look like a random sample of all items "
        "(p = {p:.2g}): the {feature} is {gold:.3g} on average among them and {others:.3g} among "
        "the others. Every estimator takes a first batch without strata to be chosen at random; if "
        "they were chosen by votes, scores or difficulty, its numbers are wrong. {mend}"
    ),
    "strata_reliable": Words(
        "within the strata nothing speaks against the gold labels (p = {p:.2g}): the numbers of "
        "each stratum can be relied on, those of all items cannot"
    ),
    "strata_misfit": Words(
        "within the strata {misfit} (p = {p:.2g}): the numbers of a stratum may be wrong"
    ),
    "experts_tied": Words(
        "{items:counted items} that experts labelled {have} no gold label, since they are tied: "
        "{share:.0f} % of those they looked at, and the hard ones. Gold is easier than the items "
        "are, and estimates look better than they should; have another expert decide"
    ),
    "annotators_against": Words(
        "{number:counted annotators} labelling against the majority of the others (swapped?): "
        "{named}"
    ),
    "annotators_constant": Words(
        "{number:counted annotators} always giving the same label, where others do not: {named}"
    ),
    "higher_on_negatives": Words(
        "{what} are higher on items whose gold label is negative (p = {p:.2g}). Make sure that all "
        "files mean the same by a positive label (--positive)"
    ),
    "experts_not_known": Words("how often experts err is not known: {why}", mend=KNOWN_ERRORS),
    "stratum_open": Words(
        "the items {which} stand for {per_cent:.0f} % of all items and have {labels:counted gold "
        "labels}. So few leave more than half of the values open that a prevalence can take, and "
        "it has no answer. With {enough:counted labels} it has one, though a wide one: {mend}"
    ),
    "few_clusters": Words(
        "gold labels are of {clusters:counted clusters}: intervals rest on the differences between "
        "so few, and are wide. Label items of {enough} clusters or more"
    ),
    "scores_tied": Words(
        "{tied:.2g} % of the pairs of items have equal scores of {model}; they count half in AUC, "
        "and are one step of each curve"
    ),
    "model_without_number": Words("{model}: no number: {why}"),
    "pair_without_difference": Words("{pair}: no difference: {why}"),
    "more_pairs_apart": Words("{number:,} more pairs of models have too few items in common"),
    # What was guessed, dropped or decided while files were read.
    "index_read": _guess("{file}: its index {columns:list} is read as columns"),
    "separator": Words("{file}: cells are separated by {separator}, as {why}"),
    "decimal_commas": Words("{file}: decimal commas in {columns:list}"),
    "quotes": Words('{file}: a quote (") is part of the text that it stands in, as in row {row}'),
    "first_sheet": Words("{file}: the sheet {sheet!r} is read; passed over: {others:list}"),
    "apostrophes": Words(
        "{file}, {column}: an apostrophe before =, +, - or @ marks a text for a spreadsheet, and "
        "is taken away"
    ),
    "nameless": Words(
        "{file}: {columns} without a name passed over, as a data frame's index is one"
    ),
    "export": Words(NAMED),
    "export_of_users": _guess(f"{RECORDS}{{bare}}, users as they stand"),
    "export_of_one": _guess(f"{RECORDS}{{bare}}, the annotator is {{annotator!r}}, as the file"),
    "responses_read": _guess(f"{NAMED}; responses to {{question!r}} read as labels of their users"),
    "choice_read": _guess(f"{NAMED}; {{question}} read as the label"),
    "answers_read": _guess(f"{NAMED}; {{question}} read as the label (accept is 1, reject is 0)"),
    "records_again": Words(
        "{file}: {number:counted records} there again in the same words, counted once"
    ),
    "not_submitted": Words("{file}: {number:counted responses} not submitted, passed over"),
    "no_status": Words("{file}: {number:counted responses} without a status, read as submitted"),
    "no_class": Words("{file}: {number:counted responses} passed over that are no single class"),
    "suggestions": Words("{file}: {number:counted suggestions} passed over"),
    "cancelled": Words(
        "{file}: {number:counted annotations} cancelled or without a choice, passed over"
    ),
    "predictions": Words(
        "{file}: {number:counted predictions} passed over; scores are read from a file or data"
    ),
    "ignored": Words("{file}: {number:counted lines} ignored or without such a label, passed over"),
    "reviewed": Words("{file}: reviewed annotations are gold labels"),
    "graders_read": _guess(
        "{file}: {names:guessed} read as annotators of the answers (1 is right, 0 is not)"
    ),
    "people_read": _guess(
        "{file}: {names:guessed} read as experts (gold, if of answers drawn at random)"
    ),
    "numbers_read": _guess("{file}: numbers of {names:guessed} read as scores"),
    "values_left_out": Words(
        "{file}: values of annotators passed over, neither yes nor no: {names:guessed}"
    ),
    "not_graders": Words("{file}: passed over, neither yes or no nor a number: {names:guessed}"),
    "no_verdict": Words("{file}: no vote where a grader failed or gave no value: {names:guessed}"),
    "no_grade": Words("{file}: {number:counted answers} without a grade passed over"),
    "scores_changed": Words(
        "{file}: {number:counted scores} that people changed as the scorer gave it; no gold "
        "labels, since people change what is wrong"
    ),
    "column_read": _guess("{file}: column {column!r} read as {ours}"),
    "shared_column_read": _guess("{file}: column {column!r} read as item, since all files have it"),
    "columns_read": _guess("{file}: columns {columns:guessed} read as {kind}_NAME"),
    "columns_together": _guess(
        "{file}: columns {columns:list} together read as item, since none of them names one alone"
    ),
    "of_items": Words(
        "{file}: column {column!r} is the same in all rows of each item, so that it names no "
        "annotators"
    ),
    "as_experts": _guess("{file}: its annotators are read as experts, as the file is named"),
    "as_votes": _guess("{file}: a column an annotator, guessed by their labels: {columns:guessed}"),
    "rows_are_votes": Words("{file}: labels without annotators; each row is a vote"),
    "as_scores": _guess("{file}: columns read as the scores of models: {columns:guessed}"),
    "as_gold": _guess("{file}: its labels are read as gold labels"),
    "columns_left_out": Words("{file}: columns passed over: {columns:list}"),
    "columns_left_out_empty": Words(
        "{file}: columns passed over: {columns:list} (nothing in {empty:list})"
    ),
    "rows_without_label": Words("{file}: {number:counted rows} without a label passed over"),
    "items_without_votes": Words("{file}: {number:counted items} without votes dropped"),
    "items_of_scores": Words("no votes: the items are the {number:,} of {files}"),
    "names_alike": Words("annotators whose names differ in form only count as two: {names}"),
    "taken_for_empty": Words(
        "{number:counted cells} of labels with {word!r} taken for empty (--missing nothing reads "
        "it as a label)"
    ),
    "positive_absent": Words("--positive {label}: no label has this value"),
    "others_negative": Words("{file}: {labels} {are} positive, all others negative: {others}"),
    "labels_0_and_1": Words("the model's labels are 0 and 1, those of a stream must be too"),
    "spelling": _guess("{file}: labels read as others that differ in case alone: {changed}"),
    "repeated_left_out": Words(
        "{number:counted labels} of {all:,} not counted: an annotator has another on the item, and "
        "the {rule} counts"
    ),
    "scores_dropped": Words("{number:counted items} with {what} without votes, dropped: {names}"),
    "gold_dropped": Words(
        "{number:counted items} with a gold label but without {basis}, dropped: {names}"
    ),
    "values_dropped": Words("{what}: {number:counted items} without {basis}, dropped: {names}"),
    "not_scored": Words(
        "{number:counted items} of {all:,}{voted} without {what}, which count for what needs none: "
        "{names}"
    ),
    "gold_left_uneven": Words(
        "of the gold labels that are left {left:.0f} % are positive, of those that match nothing "
        "{lost:.0f} % (p = {p:.2g}): what is left is no random sample of the gold labels"
    ),
    "weights_read": Words(
        "column weight: items count from {least:g} to {most:g} times (--column weight=ignore "
        "leaves it out)"
    ),
    "gold_of_experts": Words(GOLD_OF_EXPERTS),
    "gold_of_tied_experts": Words(
        f"{GOLD_OF_EXPERTS}; {{tied:counted items}} on which they are tied {{have}} no gold label "
        "where their errors are not corrected: `crowdgold sample --second` asks another one"
    ),
    "gold_of_votes": Words(
        "gold labels of {number:counted items} are the majority of their votes, as a platform's "
        "aggregated labels are: they say nothing that votes do not"
    ),
    "drawn_each": Words(f"{DRAWN}, each item by itself: {COST}"),
    "drawn_in_batches": Words(f"{DRAWN}, by strata, in {{batches}} of {{sizes:list}}: {COST}"),
    "drawn_by_strata": Words(f"{DRAWN}, fixed numbers from each of {{strata}}: {COST}"),
    "chances_estimated": Words(
        "gold items were chosen, and their chances are estimated from votes and scores; all that "
        f"rests on gold labels is right only if the choice depended on these alone: {COST}"
    ),
    "unequal_weights": Words(COST),
    "batch_not_begun": Words(
        "{number:counted gold labels} of batch {batch} passed over: {empty}. The batch counts once "
        "an expert has labelled an item of each stratum; the first rows of its file are one of each"
    ),
    "came_back": Words(
        "{number:,} of {sent:,} items that were sent to experts came back without a label. The "
        "labels of a stratum are taken for a random sample of it: right where experts stopped "
        "half-way or skipped items whatever these are, wrong where they skipped the hard ones"
    ),
    "own_clusters": Words(
        "each item is a cluster of its own, so that the column cluster changes nothing"
    ),
    "clusters_compared": Words(
        "items belong together in {clusters}: intervals compare clusters, not items"
    ),
    # What is said beside a plan.
    "pilot_fit": Words("the pilot's fit: {problem}"),
    "pilot_without": Words("the pilot has no {which} gold label: little is known of such items"),
    "pilot_misfit": Words(
        "in the pilot {misfit} (p = {p:.2g}); what was learnt from it may not hold of others"
    ),
    "pilot_chances": Words("the chances with which the pilot's gold was drawn are passed over"),
    "pilot_weights": Words(
        "weights and strata of the pilot are passed over: all items count the same"
    ),
    "all_apart": Words(f"widths are planned as if no items belonged together. These do{CLUSTERED}"),
    "labels_apart": Words(
        "widths are of intervals that compare clusters. The labels to come are simulated as if "
        f"items of a cluster were no more alike than their votes and scores make them{CLUSTERED}"
    ),
    "errors_not_planned": Words(PLANNED),
    "errors_take_more": Words(
        f"{PLANNED} Widths fall with the square root of the labels: it takes about {{times:.2g}} "
        "times as many in all"
    ),
    "more_than_planned": Words(
        "there are more labels than --anytime {planned:,}, which is no harm: keep the number of "
        "the first look. Intervals still hold, and are little wider"
    ),
    # What was decided for lack of something.
    "scored_partly": Words(
        "{model} scored {items}: its numbers are about items like these, and no others"
    ),
    "compared_on_both": Words("two models are compared on the items that both scored: {pairs}"),
    "strata_left_out": Words("{strata} left out, of fewer than {fewest} items: {names}"),
    "no_rates_of_annotators": Words(
        "annotators.csv has no rates of annotators from gold labels, since experts err and these "
        "rates would take gold labels for the truth"
    ),
    "study_without_scores": Words(
        "no scores: nothing is said of models, and these cannot run: {methods:list}"
    ),
    "study_without_votes": Words("no votes: there can be none of {names:list}"),
    "no_threshold": Words(
        "{models:list}: no {metrics:list}, since {whose} not all in [0, 1]; give a threshold "
        "(--threshold MODEL=VALUE)"
    ),
    "all_looks": Words(ALL_LOOKS),
    "looks_past": Words(
        f"{ALL_LOOKS}. There are more labels than {{planned:,}}, which is no harm: intervals still "
        "hold, and are little wider. Only if this is the first look, name the number of labels at "
        "which you now mean to stop"
    ),
    "experts_err": Words("an expert has {rates}, {source}"),
    "experts_differ": Words("an item is as positive as the share of experts who call it so"),
    "gold_for_truth": Words(
        "gold labels are taken for the truth, since experts' errors are not known: {why}"
    ),
    "none_corrects_errors": Words(
        "{methods:list} {take} gold labels for the truth, whatever is known of the experts' "
        "errors: {correcting} corrects them."
    ),
    "if_wrong": Words(
        "Gold labels are taken for the truth. Were {share:g} % of them wrong, {metric}{of} would "
        "be {estimate:.3f} ({lower:.3f} to {upper:.3f}) by {method}, which gives {estimate_0:.3f} "
        "with none wrong (expert_errors.csv)."
    ),
    "ranges_if": Words("Ranges hold {assumed}."),
    "ranges_without": Words("Ranges hold {assumed}. They leave out {left_out}."),
    # What would change the answer.
    "gold_not_random": Words(
        "{what} of the gold items differ from those of the others{p}. Every method takes "
        "gold items to be drawn at random; if they were chosen by {by}scores or difficulty, the "
        "numbers can be wrong by any amount. {mend}.",
        "Gold {may} a random sample",
    ),
    "gold_unlike_its_draw": Words("{what} speak against it{p}. {mend}.", "{misfit}"),
    "nothing_checks": Words(
        "Nothing checks the model of the votes against the truth. It takes voters to be right more "
        "often than not. Have an expert label items drawn at random: {enough} are enough for a "
        "first answer, 100 for a useful one.",
        "No gold labels, or too few to check anything",
    ),
    "few_of_a_class": Words(
        "There are {positive:,} positive and {negative:,} negative ones; a metric that rests on "
        "fewer than {fewest} of them has an exact bound, or no interval. Label more random items.",
        "Too few gold labels of a class",
    ),
    "few_gold": Words(
        "How often the intervals are right was measured with {measured} gold labels or more. Label "
        "more random items.",
        "{gold:counted gold labels}, fewer than {measured}",
    ),
    "contradicts": Words(
        "Its estimates of {metrics} are more than two standard errors from those of {corrected}, "
        "which the gold labels correct: {flagged} of the {compared} estimates that were compared, "
        "where a model that is right has at most one in twenty by chance. {rest}",
        "The gold labels contradict {method}",
    ),
    "answer_rests_on_it": Words("The answer rests on it."),
    "answer_not_on_it": Words("The answer does not rest on it: use that."),
    "chance_can": Words("{rest} With so many estimates compared, chance alone can do that."),
    "disagrees": Words(
        "Its {level} interval does not overlap the answer's for {metrics}. What one of the two "
        "assumes is wrong: see Assumptions.",
        "{method} disagrees",
    ),
    "chains": Words(
        "{problems}. Its numbers are shown. {rest}",
        "The chains of {method}{of} had not converged",
    ),
    "rests_not_on_chains": Words("The answer does not rest on it."),
    "corrected_all_the_same": Words(
        "The gold labels correct the answer, so its interval is right all the same."
    ),
    "not_reproduced": Words(
        "{outside} of {rows} observations are outside the {level} intervals of data drawn from the "
        "fit. This weakens {touched} by this model. An answer that gold labels correct does not "
        "rest on it.",
        "{method} with {model} does not reproduce {name}",
    ),
    "undecided": Words(
        "Their intervals hold 0. If they are as large as estimated, they would be seen in a study "
        "larger (items, votes and gold alike) by: {sizes}. `crowdgold plan` finds the cheapest.",
        "Differences that these data do not decide",
    ),
    "only_models_asked": Words(
        "Each model is right where its assumptions are, and no estimate that gold labels correct "
        "was asked for. Add {method} to the methods.",
        "Only models were asked for",
    ),
    "remarks": Words("{told}.", "Remarks on single answers"),
    "weighted": Words(
        "Items are weighted: the numbers are of {whose} and no better than the weights.", "Weights"
    ),
    # What was found of all that would change it.
    "verdict_grave": Words(
        "{number:counted grave doubts}: read below why these numbers may be wrong."
    ),
    "verdict_none": Words("We found no reason to distrust these numbers."),
    "verdict_minor": Words(
        "We found no grave reason to distrust these numbers, and {number:counted minor ones}: read "
        "below."
    ),
}


class _Places(Formatter):
    """Fills the places of a sentence: `{n:counted items}` is 2 items, `{names:list}` a, b, and
    `{names:guessed}` the same of names that were guessed alike.
    """

    def format_field(self, value: Any, spec: str) -> str:
        if spec.startswith("counted "):
            return counted_things(value, spec.removeprefix("counted "))
        if isinstance(value, Note):
            return value.text
        if spec in ("list", "guessed"):
            return list_names(value) if spec == "list" else list_guessed(value)
        return str(super().format_field(value, spec))


def counted_things(number: int, things: str) -> str:
    """A number of things that are named in the plural: 1 gold item, 2 gold items."""
    if number == 1:  # clusters of gold items, or gold items
        things = things.replace("clusters", "cluster") if "clusters" in things else things[:-1]
    return f"{number:,} {things}"


@dataclass(frozen=True)
class Note:
    """Something that a reader should know, and how much weight it has."""

    code: str  # one of `CATALOGUE`
    values: Mapping[str, Any] = field(default_factory=dict)  # what stands in its places
    weight: str = ""  # one of `WEIGHTS`; that of its code where none is given

    def __post_init__(self) -> None:
        object.__setattr__(self, "weight", self.weight or CATALOGUE[self.code].weight)

    @property
    def text(self) -> str:
        """Its sentence."""
        return _Places().vformat(CATALOGUE[self.code].text, (), self.values)

    @property
    def title(self) -> str:
        """What it is, in a few words; empty where it has none."""
        return _Places().vformat(CATALOGUE[self.code].title, (), self.values)

    @property
    def mend(self) -> str:
        """What would mend it; empty where nothing is known to."""
        return _Places().vformat(CATALOGUE[self.code].mend, (), self.values)

    def __str__(self) -> str:
        return self.text

    def as_json(self) -> dict[str, Any]:
        """As study.json has it, with its sentence."""
        return {"code": self.code, "weight": self.weight, "values": dict(self.values),
                "text": self.text}  # fmt: skip


def note_of(held: Mapping[str, Any]) -> Note:
    """The note that `Note.as_json` wrote."""
    return Note(held["code"], held["values"], held["weight"])


def texts(notes: Iterable[Note]) -> str:
    """The sentences of notes, one after the other."""
    return "; ".join(note.text for note in notes)


def with_codes(name: str, notes: Iterable[Note]) -> dict[str, list[str]]:
    """A list of sentences by its name as JSON has it, and their codes by another key."""
    found = list(notes)
    return {name: [one.text for one in found], f"{name}_codes": [one.code for one in found]}


def codes(notes: Iterable[Note]) -> str:
    """The codes of notes, for a cell of a table."""
    return " ".join(note.code for note in notes)
