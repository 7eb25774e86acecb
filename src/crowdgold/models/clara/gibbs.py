"""CLARA's posterior by Gibbs sampling (section 3.2, algorithm 1), collapsed or blocked.

Where there are few rates, each sweep of the blocked sampler begins with steps of the rates alone,
true labels summed out (`walk`): a class that few items have would hold it up else.

Both samplers have the same stationary distribution but for two things that only one can do: the
printed conditional (collapsed), and a prior that is cut to TPR + TNR > 1 (blocked).

The likelihood stays the same where the categories are renamed, in the truth and in the rows of all
confusion matrices at once; the prior alone says which category is which. Where it says little, the
mode with swapped names has weight too. Chains start at the majority votes and cross between the
modes by a move of their own (`clara_swap`), so that `ClaraFit.swapped` is the mass of the posterior
there; `ClaraSettings.ordered` rules it out. The printed conditional has no such move.

Chains that miss their gate are continued (`continuation`).
"""

from dataclasses import dataclass, replace

import numpy as np

from crowdgold.data import Annotations
from crowdgold.models.clara.prior import ClaraPrior
from crowdgold.models.clara.runs import Chains, Plan
from crowdgold.models.clara.scores import ScoreModel, score_model
from crowdgold.models.clara.settings import ClaraSettings as ClaraSettings
from crowdgold.models.clara.state import Prior, first_categories, first_state, lay_out, prior_of
from crowdgold.models.clara.walk import rates_are_few
from crowdgold.models.continuation import sample_until_passed
from crowdgold.models.label_patterns import (
    LabelPatterns,
    find_label_patterns,
    matrix_of_label,
)
from crowdgold.models.stan_fit import Diagnostics

SWAPPED_LIMIT = 0.01
"""Mass of the mode with swapped categories that is told: less moves neither end of a 95 % interval
far."""


@dataclass(frozen=True)
class ClaraFit:
    """Draws of CLARA's posterior.

    Attributes:
        theta: (chains, D, K) prevalence drawn given the labels y: its posterior.
        conditional_theta: (chains, D, K) its mean given y, whose quantiles the paper prints.
        psi: (chains, D / psi_step rounded up, M, K, K) confusion matrices, of theta[:, ::psi_step];
            true category in rows; single precision.
        psi_step: 1, but more where all draws would take more than `PSI_BYTES`.
        probability: (I, K) P(y_i = k | data).
        swapped: mass of the posterior where the categories are swapped: the confusion matrices'
            diagonals, averaged over the labels, add to less than 1 (binary: TPR + TNR < 1).
        diagnostics: over prevalence and confusion entries.
    """

    theta: np.ndarray
    conditional_theta: np.ndarray
    psi: np.ndarray
    psi_step: int
    probability: np.ndarray
    swapped: float
    diagnostics: Diagnostics


def swapped_share(psi: np.ndarray, matrix_of: np.ndarray) -> float:
    """The share of draws whose matrices' diagonals, averaged over the labels, add to < 1.

    Args:
        psi: (..., M, K, K) draws of the confusion matrices.
        matrix_of: (L,) the matrix that each label is drawn from.
    """
    share = np.bincount(matrix_of, minlength=psi.shape[-3]) / max(len(matrix_of), 1)
    return float((np.einsum("...mkk,m->...", psi, share) < 1).mean())


def swapped_note(swapped: float) -> str:
    """What to beware of where the mode with swapped categories has mass; empty where it has not.

    It is no failure of the chains, which visit both modes as often as their masses say.
    """
    if swapped <= SWAPPED_LIMIT:
        return ""
    return (
        f"{swapped:.1%} of the posterior has labels swapped (TPR + TNR < 1), a second mode; cut "
        "the prior (CLARA-ordered) or make it firmer (gamma)"
    )


def _first_chains(
    annotations: Annotations,
    patterns: LabelPatterns,
    prior: Prior,
    scores: ScoreModel,
    settings: ClaraSettings,
    rng: np.random.Generator,
) -> Chains:
    """Chains at their first states: the majority votes, scattered in all but the first.

    Every other chain starts with two categories exchanged: were the move between the modes never
    accepted, R-hat would say so.
    """
    s, exact = settings, settings.conditional == "exact"
    collapsed = s.sampler == "collapsed"
    walks = not collapsed and not len(scores.x) and rates_are_few(patterns)
    plan = Plan(collapsed, exact and not s.ordered, walks, s.warmup, s.draws, s.lag)
    rngs = rng.spawn(s.chains)
    states = []
    for c, own in enumerate(rngs):
        y = first_categories(annotations, c > 0, own)
        if plan.swaps and c % 2:
            a, b = own.choice(patterns.categories, 2, replace=False)
            y = np.where(y == a, b, np.where(y == b, a, y))
        states.append(first_state(annotations, s.confusion, prior, y, len(patterns)))
    return Chains(lay_out(patterns, exact), prior, scores, plan, states, rngs)


def sample_clara(
    annotations: Annotations, prior: ClaraPrior, settings: ClaraSettings, rng: np.random.Generator
) -> ClaraFit:
    """Sample CLARA's posterior.

    Args:
        annotations: labels, and scores of any number of classifiers.
        prior: Dirichlet priors, for instance `empirical_prior`.
        settings: the sampler.

    """
    s = settings
    scores, notes = score_model(annotations, s.score_scale, s.gaussians == "posterior")
    # Scores and the collapsed sampler tell items apart.
    joined = s.sampler == "blocked" and not len(scores.x)
    patterns = find_label_patterns(annotations, s.confusion, joined)
    chains = _first_chains(annotations, patterns, prior_of(prior, s.ordered), scores, s, rng)
    continued = sample_until_passed(chains.sample, s.draws)
    kept, drawn = continued.fit.kept, continued.fit
    swapped = swapped_share(kept.psi, matrix_of_label(annotations, s.confusion)[0])
    # Longer chains would not mend it, so that it is no part of what continues them.
    failure = f"{drawn.failed} confusion matrices could not be drawn with a diagonal above 1"
    notes = (*notes, *continued.notes, swapped_note(swapped))
    return ClaraFit(
        kept.theta,
        kept.conditional_theta,
        kept.psi,
        drawn.psi_step,
        kept.chance[patterns.pattern_of] / (kept.theta.shape[0] * kept.theta.shape[1]),
        swapped,
        replace(
            drawn.diagnostics,
            failures=(failure,) if drawn.failed else (),
            notes=tuple(filter(None, notes)),
        ),
    )
