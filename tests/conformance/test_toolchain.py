"""Finding and assembling a home, and compiling models: order, refusals, atomicity, two at once."""

import json
import multiprocessing
import os
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import cmdstanpy
import pytest

from crowdgold.system import toolchain as assembling
from crowdgold.system import toolchain as finding
from crowdgold.system.assets import asset_folder
from crowdgold.system.toolchain import (
    Toolchain,
    ToolchainError,
    as_numbers,
    assemble,
    cmdstan_version,
    compile_model,
    find_toolchain,
    included_files,
    is_whole,
    model_hash,
)

MODELS = Path(__file__).parent / "models"


def make_home(folder: Path, version: str = "2.36.0", stanc: str = "echo stanc3 v2.36.0") -> Path:
    """A folder that looks like CmdStan."""
    (folder / "bin").mkdir(parents=True)
    (folder / "makefile").write_text(f"# CmdStan\nCMDSTAN_VERSION := {version}\n")
    (folder / "bin/stanc").write_text(f"#!/bin/sh\n{stanc}\n")
    (folder / "bin/stanc").chmod(0o755)
    return folder


@pytest.fixture
def nowhere(monkeypatch, tmp_path):
    """No CmdStan anywhere, no network, nothing to assemble: each test adds what it is about."""
    for name in ("CMDSTAN", "CONDA_PREFIX", "CXX", "MAKE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(finding, "network_allows", lambda: False)

    def nothing(folder, log):
        raise ToolchainError("nothing to assemble")

    monkeypatch.setattr(finding, "assemble", nothing)
    monkeypatch.setattr(finding, "is_whole", lambda folder: False)
    return tmp_path


def test_the_order_of_the_ways(nowhere, monkeypatch):
    shelf = make_home(nowhere / ".cmdstan/cmdstan-2.36.0")
    assert find_toolchain().way == "home folder"
    make_home(nowhere / "conda/bin/cmdstan")
    monkeypatch.setenv("CONDA_PREFIX", str(nowhere / "conda"))
    assert find_toolchain().way == "conda"
    monkeypatch.setenv("CMDSTAN", str(shelf))
    found = find_toolchain()
    assert (found.way, found.home, found.cmdstan_version) == ("environment", shelf, "2.36.0")
    assert found.stanc == "stanc3 v2.36.0"


def test_the_newest_of_the_shelf_is_taken(nowhere):
    for version in ("2.9.0", "2.36.0-rc1", "2.36.0", "2.35.1"):
        make_home(nowhere / f".cmdstan/cmdstan-{version}", version)
    assert find_toolchain().cmdstan_version == "2.36.0"


def test_what_is_skipped_is_said(nowhere, monkeypatch):
    monkeypatch.setenv("CMDSTAN", str(nowhere / "gone"))
    monkeypatch.setenv("CONDA_PREFIX", str(nowhere / "conda"))
    make_home(nowhere / "conda/bin/cmdstan", stanc="exit 3")
    make_home(nowhere / ".cmdstan/cmdstan-2.30.0", "2.30.0")
    said = []
    with pytest.raises(ToolchainError, match="nothing to assemble"):
        find_toolchain(log=said.append)
    assert "gone" in said[0] and "makefile" in said[0]  # noqa: PT018
    assert "does not run" in said[1]
    assert "2.30.0 is older than 2.32.0" in said[2]
    assert "cannot be reached" in said[3]


def test_no_compiler_names_the_way_out(nowhere, monkeypatch):
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(ToolchainError, match=r"no-such-compiler.*conda install"):
        find_toolchain()


def test_another_machine_names_the_way_out(monkeypatch, tmp_path):
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    with pytest.raises(ToolchainError, match=r"aarch64.*conda install"):
        assembling.assemble(tmp_path / "home")
    assert not (tmp_path / "home").exists()


def test_the_probe_gives_up_in_time():
    began = time.monotonic()
    assert not finding.network_allows("http://192.0.2.1/", seconds=1.0)  # answers nobody
    assert time.monotonic() - began < 3
    assert not finding.network_allows("nonsense:", seconds=1.0)


def test_versions_are_ordered():
    versions = ["2.9.0", "2.35.0-rc1", "2.35.0", "2.35.1", "2.100.0", "3.0.0"]
    numbers = [as_numbers(version) for version in versions]
    assert numbers == sorted(set(numbers))


def test_a_makefile_without_a_version(tmp_path):
    (tmp_path / "makefile").write_text("all:\n")
    with pytest.raises(ToolchainError, match="CMDSTAN_VERSION"):
        cmdstan_version(tmp_path)


def test_the_sources_name_one_version():
    assert cmdstan_version(asset_folder("toolchain")) == assembling.VERSION


# ------------------------------------------------------------------ assembling


def stub_wheel(folder: Path) -> Path:
    """A wheel in the shape of the real one, and small; fetching it takes a moment."""
    time.sleep(0.3)
    path = folder / "httpstan-4.13.0-py3.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("httpstan/stanc", "#!/bin/sh\necho stanc3 v2.35.0\n")
        archive.writestr("httpstan/include/stan/version.hpp", "#define STAN_MAJOR 2\n")
        archive.writestr("httpstan/include/pybind11/unwanted.hpp", "")
        archive.writestr("httpstan/lib/libtbb.so.2", "library")
        archive.writestr("httpstan/views.py", "unwanted")
    return path


@pytest.fixture
def stubbed(monkeypatch):
    """Assembling without the network and the compiler."""
    calls = []
    monkeypatch.setattr(assembling, "download", stub_wheel)
    monkeypatch.setattr(assembling, "run", lambda *arguments: calls.append(arguments))
    return calls


@pytest.mark.parametrize("name", ["httpstan/../lib/../../escape", "/etc/x", "httpstan\\lib\\x"])
def test_a_wheel_that_leads_out_of_the_home_is_refused_whole(stubbed, monkeypatch, tmp_path, name):
    def hostile(folder):
        with zipfile.ZipFile(stub_wheel(folder), "a") as archive:
            archive.writestr(name, "unwanted")
        return folder / "httpstan-4.13.0-py3.whl"

    monkeypatch.setattr(assembling, "download", hostile)
    with pytest.raises(ToolchainError, match="not unpacked"):
        assembling.assemble(tmp_path / "place/home")
    assert [p.name for p in (tmp_path / "place").iterdir()] == [".home.lock"]
    assert [p.name for p in tmp_path.iterdir()] == ["place"]


def test_an_assembled_home_holds_what_it_needs(stubbed, tmp_path):
    home = assembling.assemble(tmp_path / "home")
    files = {str(p.relative_to(home)) for p in home.rglob("*") if p.is_file()}
    assert files == {
        *assembling.SOURCES, "bin/stanc", "include/stan/version.hpp", "lib/libtbb.so.2",
        assembling.MANIFEST, assembling.SUMS,
    }  # fmt: skip
    assert assembling.is_assembled(home)
    assert sorted(p.name for p in tmp_path.iterdir()) == [".home.lock", "home"]
    assembling.assemble(tmp_path / "home")
    assert len(stubbed) == 1  # the second call found it whole


@pytest.mark.parametrize("fault", ["missing", "truncated", "flipped", "no manifest", "old sources"])
def test_a_broken_home_is_rebuilt(stubbed, tmp_path, fault):
    home = assembling.assemble(tmp_path / "home")
    header = home / "include/stan/version.hpp"
    if fault == "missing":
        header.unlink()
    elif fault == "truncated":
        header.write_text("")
    elif fault == "flipped":
        library = home / "lib/libtbb.so.2"
        library.write_bytes(library.read_bytes()[::-1])
        assert assembling.fault_of(home) == "lib/libtbb.so.2 is damaged"
    elif fault == "no manifest":
        for path in sorted(home.rglob("*"), reverse=True):
            path.unlink() if path.is_file() else path.rmdir()
    else:
        (home / "main.cpp").write_text("// an older front end")
    said = []
    assembling.assemble(home, said.append)
    assert assembling.fault_of(home) is None
    assert header.read_text()
    assert any("rebuilding" in line for line in said)
    assert sorted(p.name for p in tmp_path.iterdir()) == [".home.lock", "home"]


def test_an_assembled_home_in_the_environment_must_be_whole(stubbed, nowhere, monkeypatch):
    home = assemble(nowhere / "home")
    monkeypatch.setenv("CMDSTAN", str(home))
    assert find_toolchain().way == "assembled"
    (home / "lib/libtbb.so.2").unlink()
    said = []
    with pytest.raises(ToolchainError, match="nothing to assemble"):
        find_toolchain(log=said.append)
    assert "lib/libtbb.so.2 is missing" in said[0]


def test_a_home_assembled_before_is_taken_without_the_network(stubbed, nowhere, monkeypatch):
    assemble(nowhere / "home")
    monkeypatch.setattr(finding, "is_whole", is_whole)
    monkeypatch.setattr(finding, "assemble", assemble)
    said = []
    assert find_toolchain(nowhere / "home", said.append).home == nowhere / "home"
    assert said == []


def test_a_folder_of_something_else_is_not_touched(stubbed, tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home/thesis.tex").write_text("precious")
    with pytest.raises(ToolchainError, match="not an assembled CmdStan home"):
        assembling.assemble(tmp_path / "home")
    assert (tmp_path / "home/thesis.tex").read_text() == "precious"


def test_a_failing_build_leaves_no_home(stubbed, monkeypatch, tmp_path):
    def fail(*arguments):
        raise ToolchainError("the compiler failed")

    monkeypatch.setattr(assembling, "run", fail)
    with pytest.raises(ToolchainError, match="the compiler failed"):
        assembling.assemble(tmp_path / "home")
    assert [p.name for p in tmp_path.iterdir()] == [".home.lock"]


def test_a_home_that_cannot_be_written(stubbed, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ToolchainError, match="cannot write"):
        assembling.assemble(tmp_path / "file" / "home")


def assemble_and_say(folder, queue):
    said = []
    assembling.assemble(folder, said.append)
    queue.put(said)


def test_two_processes_build_one_home(stubbed, tmp_path):
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    both = [context.Process(target=assemble_and_say, args=(tmp_path / "h", queue)) for _ in "12"]
    for one in both:
        one.start()
    said = sorted((queue.get(timeout=30) for _ in both), key=len)
    for one in both:
        one.join()
    assert len(said[0]) <= 1  # waited, or came when all was done
    assert any("assembled in" in line for line in said[1])
    assert assembling.fault_of(tmp_path / "h") is None


def test_pip_refuses_a_wheel_with_another_hash(monkeypatch, tmp_path):
    (tmp_path / assembling.LOCK).write_text(f"httpstan==4.13.0 --hash=sha256:{'0' * 64}\n")
    monkeypatch.setattr(assembling, "asset_folder", lambda name: tmp_path)
    with pytest.raises(ToolchainError, match=r"downloading httpstan's wheel.*failed"):
        assembling.download(tmp_path)


# ------------------------------------------------------------------- compiling


def test_included_files_and_the_hash(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "model.stan").write_text(
        '#include a.stan\n  #include "parts/b.stan"\n// #include x'
    )
    (tmp_path / "a.stan").write_text("#include <parts/b.stan>\ndata {}\n")
    (tmp_path / "parts/b.stan").write_text("parameters {}\n")
    model = tmp_path / "model.stan"
    assert included_files(model) == [tmp_path / "a.stan", tmp_path / "parts/b.stan"]
    before = model_hash(model)
    assert before == model_hash(model)
    (tmp_path / "parts/b.stan").write_text("parameters { real x; }\n")
    assert model_hash(model) != before
    (tmp_path / "a.stan").unlink()
    with pytest.raises(ToolchainError, match=r"model.stan includes a.stan"):
        model_hash(model)
    with pytest.raises(ToolchainError, match=r"absent.stan"):
        model_hash(tmp_path / "absent.stan")


def test_the_record_beside_an_executable(front_end, assembled):
    record = json.loads(front_end("eight_schools").with_suffix(".json").read_text())
    assert record["model_hash"] == model_hash(MODELS / "eight_schools.stan")
    assert record["included"] == ["eight_schools_data.stan"]
    assert record["toolchain"]["home"] == str(assembled.home)
    assert record["seconds"] > 0


def test_a_model_is_compiled_with_the_precompiled_headers(assembled, tmp_path):
    """GCC marks with an exclamation mark (-H) a precompiled header that it takes."""
    (tmp_path / "model.cpp").write_text("#include <stan/model/model_header.hpp>\n")
    recipe = f"-H -fsyntax-only {tmp_path}/model.cpp"
    shown = subprocess.run(
        ["make", "-s", "--eval=look: ; @$(CXX) $(FLAGS) $(CXXFLAGS) " + recipe, "look"],
        cwd=assembled.home,
        stderr=subprocess.PIPE,
        text=True,
        check=True,
    )
    assert shown.stderr.startswith("! include/stan/model/model_header.hpp.gch")


@pytest.fixture
def quick_compiler(tmp_path, monkeypatch):
    """A compiler that only puts a file where it is told: these tests are about paths and make."""
    script = tmp_path / "quick-compiler"
    script.write_text('#!/bin/sh\nfor last; do :; done\necho "$@" > "$last"\n')
    script.chmod(0o755)
    monkeypatch.setenv("CXX", str(script))
    return script


@pytest.fixture
def schools_in(tmp_path):
    """Copy the eight schools, which include a file, into a folder."""

    def schools_in(name):
        folder = tmp_path / name
        folder.mkdir()
        for file in ("eight_schools.stan", "eight_schools_data.stan"):
            (folder / file).write_text((MODELS / file).read_text())
        return folder

    return schools_in


@pytest.mark.parametrize("name", ["plain", "my model's $HOME (é) #1"])
def test_folders_of_any_name(quick_compiler, schools_in, assembled, name):
    folder = schools_in(name)
    compile_model(folder / "eight_schools.stan", folder / "out/eight schools", assembled)
    assert sorted(p.name for p in (folder / "out").iterdir()) == [
        "eight schools", "eight schools.json",
    ]  # fmt: skip
    linked = (folder / "out/eight schools").read_text()
    assert f"-rpath,{assembled.home}/lib" in linked


@pytest.mark.parametrize("name", ["plain", "with a space"])
def test_cmdstanpy_compiles_with_the_home(quick_compiler, schools_in, assembled, monkeypatch, name):
    monkeypatch.setenv("CMDSTAN", str(assembled.home))
    folder = schools_in(name)
    built = cmdstanpy.CmdStanModel(stan_file=folder / "eight_schools.stan")
    assert Path(built.exe_file) == folder / "eight_schools"
    assert sorted(p.name for p in folder.iterdir()) == [
        "eight_schools", "eight_schools.stan", "eight_schools_data.stan",
    ]  # fmt: skip


def test_an_outer_make_does_not_leak_in(quick_compiler, schools_in, assembled, monkeypatch):
    monkeypatch.setenv("MAKEFLAGS", "n --jobserver-auth=3,4 -j2")
    folder = schools_in("plain")
    compile_model(folder / "eight_schools.stan", folder / "eight_schools", assembled)
    assert (folder / "eight_schools").is_file()


def test_a_wrong_model_is_named_and_leaves_the_old_executable(assembled, tmp_path):
    wrong = tmp_path / "wrong.stan"
    wrong.write_text("parameters { real x; }\nmodel { x ~ norml(0, 1); }\n")
    (tmp_path / "wrong").write_text("the one before")
    with pytest.raises(ToolchainError, match=r"(?s)wrong\.stan.*line 2.*norml"):
        compile_model(wrong, tmp_path / "wrong", assembled)
    assert (tmp_path / "wrong").read_text() == "the one before"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["wrong", "wrong.stan"]


def test_the_makefile_refuses_what_the_home_cannot_do(assembled):
    done = subprocess.run(
        ["make", "STAN_THREADS=TRUE", "/tmp/x"], cwd=assembled.home, capture_output=True, text=True
    )
    assert done.returncode != 0
    assert "does not support STAN_THREADS" in done.stderr


def test_a_toolchain_goes_through_json(assembled, tmp_path):
    path = tmp_path / "toolchain.json"
    path.write_text(assembled.to_json())
    assert Toolchain.from_json(path) == assembled
    path.write_text(assembled.to_json().replace(str(assembled.home), "/gone"))
    for content in (path.read_text(), "{", "[]", '{"home": "/"}'):
        path.write_text(content)
        with pytest.raises(ToolchainError, match=r"toolchain\.json"):
            Toolchain.from_json(path)
    with pytest.raises(ToolchainError, match="absent"):
        Toolchain.from_json(tmp_path / "absent")


# ---------------------------------------------------------------- command line


def call(*arguments, **environment):
    command = [sys.executable, "-m", "crowdgold.system.toolchain", *arguments]
    settings = {"capture_output": True, "text": True, "env": os.environ | environment}
    return subprocess.run(command, check=False, **settings)


def test_the_command_prints_what_was_found(assembled):
    done = call("find", "--json", CMDSTAN=str(assembled.home))
    assert json.loads(done.stdout) == json.loads(assembled.to_json())
    done = call("find", CMDSTAN=str(assembled.home))
    assert done.stdout.strip() == assembled.describe()
    assert "find a CmdStan home" in call("--help").stdout


def test_the_command_has_no_tracebacks(assembled, tmp_path):
    for arguments in (
        ["compile", str(tmp_path / "absent.stan")],
        ["compile", str(tmp_path)],
        ["find", "--folder", "/dev/null/home"],
    ):
        home = "" if arguments[0] == "find" else str(assembled.home)
        done = call(*arguments, CMDSTAN=home, HOME=str(tmp_path), CONDA_PREFIX="")
        assert done.returncode == 1
        assert "Error: " in done.stderr
        assert "Traceback" not in done.stderr
    assert call("nonsense").returncode == 2


def test_no_asset_folder_of_that_name():
    with pytest.raises(FileNotFoundError, match="nonsense"):
        asset_folder("nonsense")


def test_an_environment_without_pip_has_python_run_the_one_that_it_keeps(monkeypatch):
    """As of uv; where Python keeps none, the message names pip."""
    find = assembling.importlib.util.find_spec
    hidden = ["pip"]
    monkeypatch.setattr(
        assembling.importlib.util, "find_spec", lambda name: None if name in hidden else find(name)
    )
    (program,) = assembling.pip_program()
    said = subprocess.run([sys.executable, program, "--version"], capture_output=True, text=True)
    assert said.stdout.startswith("pip ")
    hidden.append("ensurepip")
    assert assembling.pip_program() == ["-m", "pip"]
