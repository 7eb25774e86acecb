"""DS, DS+S and H-AI as a user of NumPyro would write them: one likelihood term an item.

The models are those of MAVEN, appendix C, with the printed priors. Labels are summed out; H-AI
keeps a latent human tendency for each item. Peers in `model_scaling.py`; they need the optional
dependencies `peers`.
"""

import time
from collections.abc import Callable, Mapping

import jax
import jax.numpy as jnp
import numpyro
import numpyro.distributions as dist
from jax.scipy.special import gammaln, xlog1py, xlogy
from jax.scipy.stats import norm
from numpyro.infer import MCMC, NUTS

from crowdgold.types.items import NO_GOLD, Items

RHO_LIMIT = 0.99

numpyro.enable_x64()

Data = Mapping[str, jnp.ndarray]


def data_of(items: Items, predictor: str) -> Data:
    """Votes, allowed labels and scores of the items, (n,) each."""
    positive, total = items.votes_positive.astype(float), items.votes_total.astype(float)
    choose = gammaln(total + 1) - gammaln(positive + 1) - gammaln(total - positive + 1)
    return {
        "positive": jnp.asarray(positive),
        "total": jnp.asarray(total),
        "choose": jnp.asarray(choose),
        "score": jnp.asarray(items.scores[predictor]),
        "barred_0": jnp.where(jnp.asarray(items.gold) == 1, -jnp.inf, 0.0),
        "barred_1": jnp.where(jnp.asarray(items.gold) == 0, -jnp.inf, 0.0),
        "has_gold": jnp.asarray(items.gold != NO_GOLD),
    }


def _rates() -> tuple[jnp.ndarray, jnp.ndarray, jnp.ndarray]:
    phi = numpyro.sample("phi", dist.Uniform(0, 1))
    a1 = numpyro.sample("a1", dist.Beta(2, 1))  # the larger of two uniform numbers ...
    share = numpyro.sample("share", dist.Uniform(0, 1))  # ... and the smaller, as a share of it
    return phi, numpyro.deterministic("a0", share * a1), a1


def _label_terms(
    data: Data, phi: jnp.ndarray, negative: jnp.ndarray, positive: jnp.ndarray
) -> None:
    """Add the items' log-likelihood, their labels summed out."""
    numpyro.factor(
        "items",
        jnp.logaddexp(
            jnp.log1p(-phi) + negative + data["barred_0"],
            jnp.log(phi) + positive + data["barred_1"],
        ).sum(),
    )


def _votes(data: Data, rate: jnp.ndarray) -> jnp.ndarray:
    return xlogy(data["positive"], rate) + xlog1py(data["total"] - data["positive"], -rate)


def dawid_skene(data: Data) -> None:
    """Dawid-Skene with one confusion matrix (appendix C.1)."""
    phi, a0, a1 = _rates()
    _label_terms(data, phi, _votes(data, a0), _votes(data, a1))


def dawid_skene_scores(data: Data) -> None:
    """Dawid-Skene and normal scores (appendix C.2)."""
    phi, a0, a1 = _rates()
    mu0, mu1 = (numpyro.sample(f"mu{y}", dist.Normal(0, 1)) for y in (0, 1))
    sigma = numpyro.sample("sigma", dist.HalfNormal(1))
    _label_terms(
        data,
        phi,
        _votes(data, a0) + norm.logpdf(data["score"], mu0, sigma),
        _votes(data, a1) + norm.logpdf(data["score"], mu1, sigma),
    )


def human_ai(data: Data) -> None:
    """Human-AI complementarity with probit votes (appendix C.3), a latent number for each item."""
    phi = numpyro.sample("phi", dist.Uniform(0, 1))
    human0, machine0 = (numpyro.sample(f"mu_{name}0", dist.Normal(0, 1)) for name in ("H", "M"))
    human1 = human0 + numpyro.sample("gap_H", dist.HalfNormal(1))
    machine1 = machine0 + numpyro.sample("gap_M", dist.HalfNormal(1))
    rho = numpyro.sample("rho", dist.Uniform(-RHO_LIMIT, RHO_LIMIT))
    sigma = numpyro.sample("sigma_M", dist.HalfNormal(1))
    score = data["score"]
    latent = numpyro.sample("latent", dist.ImproperUniform(dist.constraints.real, (), score.shape))
    spread = jnp.sqrt(1 - rho**2)

    def term(human: jnp.ndarray, machine: jnp.ndarray) -> jnp.ndarray:
        centre = human + rho * (score - machine) / sigma
        return norm.logpdf(score, machine, sigma) + norm.logpdf(latent, centre, spread)

    votes = data["positive"] * norm.logcdf(latent)
    votes += (data["total"] - data["positive"]) * norm.logcdf(-latent)
    numpyro.factor("votes", votes.sum())
    _label_terms(data, phi, term(human0, machine0), term(human1, machine1))


MODELS: dict[str, Callable[[Data], None]] = {
    "DS": dawid_skene,
    "DS+S": dawid_skene_scores,
    "H-AI": human_ai,
}
"""Models by the papers' short names of their methods."""


def run(
    model: str, items: Items, predictor: str, seed: int, chains: int, warmup: int, draws: int
) -> MCMC:
    """Sample a model, one chain after another; a second run of what is given back is compiled."""
    sampler = MCMC(
        NUTS(MODELS[model], target_accept_prob=0.8),
        num_warmup=warmup,
        num_samples=draws,
        num_chains=chains,
        chain_method="sequential",
        progress_bar=False,
    )
    sampler.run(jax.random.PRNGKey(seed), data_of(items, predictor))
    return sampler


def seconds_of(model: str, items: Items, predictor: str, seed: int, *lengths: int) -> float:
    """Time a run of a model that was compiled by another; `lengths`: chains, warmup, draws."""
    sampler = run(model, items, predictor, seed, *lengths)
    start = time.perf_counter()
    sampler.run(jax.random.PRNGKey(seed + 1), data_of(items, predictor))
    return time.perf_counter() - start
