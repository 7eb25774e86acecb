"""Faults: a message that says what is wrong, a non-zero exit, and no result left behind."""

import os
import resource
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

NOBODY = 65534
LONG = ["sample", "num_samples=1000000", "num_warmup=1000"]


def assert_failed(done, folder, *words):
    said = done.stdout + done.stderr
    assert done.returncode not in (0, None), said
    for word in words:
        assert word in said
    assert left_in(folder) == []


def left_in(folder):
    return sorted(p.name for p in folder.iterdir() if p.name not in ("data.json", "model"))


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["sample", "nonsense=3"], "nonsense"),
        (["sample", "num_sample=3"], "num_sample"),
        (["nonsense"], "nonsense"),
        (["method=variational"], "variational"),
        (["sample", "adapt", "engaged=maybe"], "engaged"),
        (["sample", "adapt", "delta=1"], "delta"),
        (["sample", "num_samples=-1"], "num_samples"),
        (["sample", "num_samples=1.5"], "num_samples"),
        (["sample", "num_samples="], "num_samples"),
        (["sample", "num_samples=99999999999"], "num_samples"),
        (["sample", "thin=0"], "thin"),
        (["sample", "algorithm=hmc", "metric=unit_e"], "unit_e"),
        (["sample", "algorithm=hmc", "engine=static"], "static"),
        (["sample", "algorithm=hmc", "stepsize=0"], "stepsize"),
        (["sample", "algorithm=hmc", "stepsize=nan"], "stepsize"),
        (["sample", "num_warmup=0"], "num_warmup"),
        (["optimize", "algorithm=lbfgs", "history_size=0"], "history_size"),
        (["optimize", "algorithm=newton", "tol_obj=1"], "tol_obj"),
        (["generate_quantities"], "fitted_params"),
        (["init=-1"], "init"),
        (["output", "sig_figs=19"], "sig_figs"),
        (["id=-1"], "id"),
    ],
)
def test_wrong_arguments_are_named(run_directly, tmp_path, arguments, word):
    assert_failed(run_directly("eight_schools", *arguments, data=True), tmp_path, word)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (Path("absent.json"), ["absent.json", "open"]),
        ('{"J": 8, "y": [1, 2', ["data.json", "JSON"]),
        ("", ["data.json", "JSON"]),
        ('{"J": 8, "J": 8}', ["data.json", "J"]),
        ({"y": []}, ["variable does not exist", "variable name=J"]),
        ({"J": 8}, ["mismatch in number dimensions", "variable name=y", "dims found=()"]),
        ({"J": 8.5, "y": [1], "sigma": [1]}, ["int variable contained non-int values", "J"]),
        ({"J": "eight", "y": [1], "sigma": [1]}, ["data.json"]),
        ({"J": 3, "y": [1, 2], "sigma": [1, 1, 1]}, ["mismatch in dimension", "variable name=y"]),
        ({"J": 2, "y": [[1, 2]], "sigma": [1, 1]}, ["mismatch in number dimensions", "y"]),
        ({"J": 2, "y": [1, 2], "sigma": [1, -1]}, ["sigma[2] is -1", "greater than or equal to 0"]),
        ({"J": -2, "y": [], "sigma": []}, ["J is -2", "greater than or equal to 1"]),
    ],
)
def test_wrong_data_are_named(run_directly, tmp_path, data, words):
    assert_failed(run_directly("eight_schools", "sample", data=data), tmp_path, *words)


def test_no_data_at_all(run_directly, tmp_path):
    assert_failed(run_directly("eight_schools", "sample"), tmp_path, "variable does not exist")


@pytest.mark.parametrize("method", ["sample", "optimize"])
def test_impossible_initial_values(run_directly, tmp_path, method):
    data = {"n": 0, "counts": [], "reject_below": 1e9}
    done = run_directly("awkward", method, data=data)
    assert_failed(done, tmp_path, "rate is below", "Initialization", "failed")


@pytest.mark.parametrize("content", ['{"mu": "high"}', '{"theta": 1', '{"eta": [1, 2]}'])
def test_wrong_inits(run_directly, write_json, tmp_path, content):
    init = write_json("init.json", content)
    done = run_directly("eight_schools", f"init={init}", "sample", data=True)
    init.unlink()
    assert_failed(done, tmp_path)


@pytest.mark.parametrize(
    "content",
    ['{"inv_metric": [1, 2]}', '{"metric": [1]}', "{", f'{{"inv_metric": {[0] + [1] * 9}}}'],
)
def test_wrong_metric(run_directly, write_json, tmp_path, content):
    metric = write_json("metric.json", content)
    done = run_directly(
        "eight_schools", "sample", "algorithm=hmc", f"metric_file={metric}", data=True
    )
    metric.unlink()
    assert_failed(done, tmp_path)


@pytest.mark.parametrize(
    ("content", "word"),
    [
        ("", "draws"),
        ("lp__,mu\n1,2\n", "tau"),
        ("mu,tau," + ",".join(f"eta.{i}" for i in range(1, 9)) + "\n1,2,3\n", "draw 1"),
    ],
)
def test_wrong_fitted_params(run_directly, tmp_path, content, word):
    fitted = tmp_path / "fitted.csv"
    fitted.write_text(content)
    done = run_directly(
        "eight_schools", "generate_quantities", f"fitted_params={fitted}", data=True
    )
    fitted.unlink()
    assert_failed(done, tmp_path, word)


def test_an_output_folder_that_is_missing(run_directly, tmp_path):
    done = run_directly("eight_schools", "output", "file=absent/out.csv", "sample", data=True)
    assert_failed(done, tmp_path, "absent/out.csv")


def test_a_failing_run_leaves_the_earlier_result_alone(run_directly, tmp_path):
    (tmp_path / "out.csv").write_text("earlier")
    data = {"n": 0, "counts": [], "reject_below": 1e9}
    assert run_directly("awkward", "sample", data=data).returncode != 0
    assert (tmp_path / "out.csv").read_text() == "earlier"
    assert left_in(tmp_path) == ["out.csv"]


def test_an_optimizer_that_does_not_converge_writes_its_last_point(model, tmp_path):
    """The way to the mode, 1, is barred just below the initial value: the line search fails."""
    data = {"n": 0, "counts": [], "reject_below": 5 - 1e-9}
    settings = {"algorithm": "lbfgs", "inits": {"rate": 5}, "seed": 3, "output_dir": tmp_path}
    with pytest.raises(RuntimeError, match="Line search failed"):
        model("awkward").optimize(data, **settings)
    fit = model("awkward").optimize(data, require_converged=False, **settings)
    assert fit.optimized_params_dict["rate"] == pytest.approx(5)
    assert not fit.converged


@pytest.fixture(params=["as I am", "as nobody"])
def person(request):
    """The user that runs the tests; when that is root, an ordinary user as well."""
    if request.param == "as nobody":
        if os.geteuid() != 0:
            pytest.skip(
                "only root can become another user; the tests already run as an ordinary one"
            )
        return {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    return {}


@pytest.fixture
def open_folder(front_end, assembled, person):
    """A folder that the person can write, with an executable that he can run."""
    folder = Path(tempfile.mkdtemp(prefix="crowdgold-test-"))
    shutil.copy(front_end("eight_schools"), folder / "model")
    library = folder / "lib"
    library.mkdir()
    shutil.copy(assembled.home / "lib/libtbb.so.2", library)
    for path in (library, folder):
        path.chmod(0o755)
    results = folder / "results"
    results.mkdir()
    if person:
        os.chown(results, NOBODY, NOBODY)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def start(open_folder, write_json, schools, person):
    """Start a long run in the open folder's `results`; returns the process."""
    data = open_folder / "data.json"
    shutil.copy(write_json("data.json", schools), data)
    data.chmod(0o644)

    def start(*arguments, folder=None, **options):
        folder = folder or open_folder / "results"
        output = ["output", f"file={folder}/out.csv", "refresh=1"]
        return subprocess.Popen(
            [open_folder / "model", "data", f"file={data}", *output, *(arguments or LONG)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder,
            env=os.environ | {"LD_LIBRARY_PATH": str(open_folder / "lib")}, **person, **options,
        )  # fmt: skip

    return start


def wait_for_the_first_draw(process):
    for line in process.stdout:
        if "Sampling" in line:
            return
    raise AssertionError("the run ended before its first draw")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("chains", [1, 3])
def test_an_interrupted_run_leaves_nothing(start, open_folder, number, chains):
    process = start(*LONG, f"num_chains={chains}")
    wait_for_the_first_draw(process)
    results = open_folder / "results"
    assert len([name for name in os.listdir(results) if name.endswith(".part")]) == chains
    process.send_signal(number)
    said = process.communicate(timeout=30)[0]
    assert process.returncode == -number
    assert "Interrupted: no result written" in said
    assert left_in(results) == []


def test_a_reader_that_goes_away_ends_the_run(start, open_folder):
    process = start()
    wait_for_the_first_draw(process)
    process.stdout.close()
    assert process.wait(timeout=30) != 0
    assert left_in(open_folder / "results") == []


def test_a_file_size_limit(start, open_folder):
    limit = 200_000
    process = start(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    began = time.monotonic()
    said = process.communicate(timeout=60)[0]
    assert process.returncode == 1
    assert "Error writing" in said
    assert "out.csv" in said
    assert left_in(open_folder / "results") == []
    assert time.monotonic() - began < 30  # not after a million draws


def test_a_device_that_is_full(run_directly, tmp_path):
    done = run_directly(
        "eight_schools", "output", "file=/dev/full", "sample", "num_samples=100000", data=True
    )
    assert_failed(done, tmp_path, "Error writing", "/dev/full")
    assert Path("/dev/full").is_char_device()


def test_a_disk_that_is_full(start, open_folder, person):
    """A real file system of 1 MB; only root can mount one, any user can fill it."""
    disk = open_folder / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m,mode=1777", "tmpfs", str(disk)]
    if os.geteuid() != 0 or subprocess.run(mount, check=False).returncode != 0:
        pytest.skip(
            "no file system can be mounted here: the file size limit and /dev/full stand in"
        )
    try:
        process = start(folder=disk)
        said = process.communicate(timeout=60)[0]
        assert process.returncode == 1
        assert "Error writing" in said
        assert left_in(disk) == []
    finally:
        subprocess.run(["umount", str(disk)], check=True)
