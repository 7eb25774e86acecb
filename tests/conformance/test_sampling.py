"""Every option that the project passes through cmdstanpy, and what cmdstanpy reads back."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture(scope="module")
def run(model, normal):
    """Sample the correlated normal: short, quiet, two chains unless told."""

    def run(**options):
        settings = {"chains": 2, "iter_warmup": 200, "iter_sampling": 100, "seed": 11}
        settings |= {"show_progress": False, "show_console": False} | options
        return model("correlated_normal").sample(normal, **settings)

    return run


def test_what_cmdstanpy_reads_back(run):
    fit = run()
    config = fit.metadata.cmdstan_config
    expected = {
        "method": "sample", "algorithm": "hmc", "engine": "nuts", "max_depth": 10,
        "metric": "diag_e", "num_samples": 100, "num_warmup": 200, "save_warmup": 0, "thin": 1,
        "model": "correlated_normal_model", "stan_version_major": 2, "stan_version_minor": 35,
        "delta": 0.8, "seed": 11, "stanc_version": "stanc3 v2.35.0",
    }  # fmt: skip
    assert {key: config[key] for key in expected} == expected
    assert fit.draws().shape == (100, 2, 7 + 10 + 2)
    assert fit.column_names[:8] == (
        "lp__", "accept_stat__", "stepsize__", "treedepth__", "n_leapfrog__", "divergent__",
        "energy__", "y[1]",
    )  # fmt: skip
    assert fit.inv_metric.shape == (2, 10)
    assert np.all(fit.step_size > 0)
    np.testing.assert_allclose(fit.draws()[0, :, 2], fit.step_size)
    assert fit.divergences.tolist() == [0, 0]
    for time in fit.time:
        assert time["total"] == pytest.approx(time["warmup"] + time["sampling"], abs=0.002)


def test_the_same_seed_gives_the_same_draws_and_chains_differ(run):
    first, second, other = run(), run(), run(seed=12)
    np.testing.assert_array_equal(first.draws(), second.draws())
    assert not np.any(first.draws()[:, 0, 7] == other.draws()[:, 0, 7])
    assert not np.any(first.draws()[:, 0, 7] == first.draws()[:, 1, 7])


def test_chains_in_one_process_are_the_chains_of_several(run):
    several, one = run(), run(force_one_process_per_chain=False)
    np.testing.assert_array_equal(several.draws(), one.draws())
    later = run(chain_ids=[2, 3], force_one_process_per_chain=False)
    np.testing.assert_array_equal(later.draws()[:, 0], several.draws()[:, 1])
    assert [path.rsplit("_", 1)[1] for path in later.runset.csv_files] == ["2.csv", "3.csv"]


def test_dense_metric(run):
    fit = run(metric="dense_e")
    assert fit.metric_type == "dense_e"
    assert fit.inv_metric.shape == (2, 10, 10)
    np.testing.assert_allclose(fit.inv_metric[0], fit.inv_metric[0].T)


@pytest.mark.parametrize("dense", [False, True])
@pytest.mark.parametrize("adapt", [False, True])
def test_a_given_metric_and_step_size(run, normal, dense, adapt):
    covariance = np.array(normal["S"])
    given = covariance if dense else np.diag(covariance)
    settings = {} if adapt else {"adapt_engaged": False, "iter_warmup": 0}
    # too short a warm-up to adapt the metric, so that it is read back as given
    settings |= {"iter_warmup": 15, "adapt_init_phase": 15, "adapt_metric_window": 0,
                 "adapt_step_size": 0} if adapt else {}  # fmt: skip
    fit = run(inv_metric=given, step_size=0.4, **settings)
    np.testing.assert_allclose(fit.inv_metric[1], given, rtol=1e-5)
    if not adapt:
        np.testing.assert_array_equal(fit.step_size, [0.4, 0.4])
        np.testing.assert_array_equal(fit.draws()[:, :, 2], np.full((100, 2), 0.4))


def test_a_metric_and_inits_for_each_chain(run, tmp_path):
    metrics = [np.full(10, 1.0), np.full(10, 2.0)]
    inits = [{"y": [float(chain)] * 10} for chain in (0, 100)]
    settings = {"adapt_engaged": False, "iter_warmup": 0, "iter_sampling": 1, "step_size": 1e-9}
    for together in (True, False):
        fit = run(inv_metric=metrics, inits=inits, force_one_process_per_chain=together, **settings)
        np.testing.assert_allclose(fit.inv_metric, metrics)
        np.testing.assert_allclose(fit.draws()[0, :, 7:17], [[0.0] * 10, [100.0] * 10], atol=1e-3)


def test_inits_zero_and_radius(run):
    settings = {"adapt_engaged": False, "iter_warmup": 0, "iter_sampling": 1, "step_size": 1e-9}
    zero = run(inits=0, **settings).draws()[0, :, 7:17]
    np.testing.assert_allclose(zero, 0, atol=1e-3)
    narrow = run(inits=0.25, **settings).draws()[0, :, 7:17]
    assert 0.01 < np.abs(narrow).max() <= 0.2501


def test_warmup_kept_and_thinned(model, schools):
    """Thinned draws are every fourth of all, where no generated quantity takes random numbers."""
    settings = {"chains": 2, "iter_warmup": 200, "iter_sampling": 100, "seed": 11}
    settings |= {"save_warmup": True, "show_progress": False}
    fit, every = (model("eight_schools").sample(schools, thin=n, **settings) for n in (4, 1))
    assert fit.draws().shape[0] == 25
    assert fit.draws(inc_warmup=True).shape[0] == 75
    assert fit.thin == 4
    np.testing.assert_array_equal(fit.draws(inc_warmup=True), every.draws(inc_warmup=True)[::4])


def test_tree_depth_and_target_acceptance(run):
    shallow = run(max_treedepth=1, step_size=0.01, adapt_engaged=False)
    assert shallow.draws()[:, :, 3].max() == 1
    assert shallow.max_treedepths.tolist() == [99, 99]  # cmdstanpy 1.3 leaves out the first draw
    assert run(adapt_delta=0.99).step_size.max() < run(adapt_delta=0.6).step_size.min()
    assert run(adapt_delta=0.99).metadata.cmdstan_config["delta"] == 0.99


def test_significant_figures(run):
    numbers = {digits: run(sig_figs=digits).draws()[:, :, 7] for digits in (3, 6, 17)}
    np.testing.assert_array_equal(numbers[6], run().draws()[:, :, 7])
    np.testing.assert_allclose(numbers[3], numbers[17], rtol=1e-2)
    assert not np.array_equal(numbers[6], numbers[17])


def test_fixed_param(model, normal):
    fit = model("correlated_normal").sample(
        normal, fixed_param=True, iter_sampling=50, chains=1, inits={"y": [1.5] * 10}, seed=3,
        show_progress=False,
    )  # fmt: skip
    assert np.all(fit.stan_variable("y") == 1.5)
    assert np.unique(fit.stan_variable("noise")).size == 50


def test_a_model_without_parameters(model):
    fit = model("no_parameters").sample({"n": 4}, chains=2, seed=3, show_progress=False)
    z = fit.stan_variable("z")
    assert z.shape == (2000, 4)
    assert abs(z.mean() - 3) < 5 * 2 / np.sqrt(z.size)


@pytest.mark.parametrize("algorithm", ["lbfgs", "bfgs", "newton", None])
@pytest.mark.parametrize("jacobian", [False, True])
def test_optimize(model, algorithm, jacobian):
    data = {"n": 3, "counts": [4, 2, 5], "reject_below": 0}
    fit = model("awkward").optimize(
        data, algorithm=algorithm, jacobian=jacobian, seed=5, sig_figs=10, inits=1
    )
    mode = (11 + 1 + jacobian) / 4
    assert fit.optimized_params_dict["rate"] == pytest.approx(mode, rel=1e-4)
    assert fit.converged


def test_optimize_saves_iterations_and_feeds_generate_quantities(model, normal):
    built = model("correlated_normal")
    fit = built.optimize(
        normal, algorithm="lbfgs", save_iterations=True, seed=5, history_size=7, iter=500,
        init_alpha=0.01, tol_obj=1e-10, tol_rel_obj=100, tol_grad=1e-9, tol_rel_grad=1e3,
        tol_param=1e-9,
    )  # fmt: skip
    assert fit.optimized_iterations_np.shape[0] > 2
    np.testing.assert_allclose(fit.stan_variable("y"), normal["mu"], atol=1e-3)
    mode = built.optimize(normal, seed=5)
    drawn = built.generate_quantities(normal, mode, seed=6)
    np.testing.assert_allclose(drawn.stan_variable("total"), mode.stan_variable("total"), atol=1e-4)


def test_latent_dynamics_and_profiles(model, tmp_path):
    data = {"n": 1, "counts": [3], "reject_below": 0}
    settings = {"chains": 1, "iter_sampling": 50, "iter_warmup": 50, "output_dir": tmp_path}
    settings |= {"save_latent_dynamics": True, "save_profile": True, "show_progress": False}
    fit = model("awkward").sample(data, seed=3, **settings)
    lines = Path(fit.runset.diagnostic_files[0]).read_text().splitlines()
    rows = [line for line in lines if line[0] != "#"]
    assert rows[0].split(",")[-3:] == ["rate", "p_rate", "g_rate"]
    assert len(rows) == 51
    header, row = Path(fit.runset.profile_files[0]).read_text().splitlines()
    assert header.startswith("name,thread_id,total_time")
    assert row.startswith("likelihood,")
    assert len(row.split(",")) == len(header.split(","))
    assert not list(tmp_path.glob(".*"))


def test_no_profile_unless_asked(run_directly, tmp_path):
    data = {"n": 1, "counts": [3], "reject_below": 0}
    assert run_directly("awkward", "sample", "num_samples=10", data=data).returncode == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == ["data.json", "out.csv"]


def test_save_metric(front_end, run_directly, tmp_path):
    done = run_directly(
        "eight_schools", "sample", "num_warmup=300", "adapt", "save_metric=1", data=True
    )
    assert done.returncode == 0, done.stderr
    metric = json.loads((tmp_path / "out_metric.json").read_text())
    assert metric["metric_type"] == "diag_e"
    assert len(metric["inv_metric"]) == 10


def test_the_executable_runs_from_anywhere(front_end, tmp_path, model):
    moved = tmp_path / "a folder" / "awkward"
    moved.parent.mkdir()
    shutil.copy(front_end("awkward"), moved)
    assert type(model("awkward"))(exe_file=moved).exe_info()["stan_version_minor"] == "35"
