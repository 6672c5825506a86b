"""The benchmark suite compares before it times, and does without a missing peer. No times are tested."""

import json
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import tfcompat
from tfcompat import engine

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from benchmarks import __main__ as benchmarks  # noqa: E402
from benchmarks import measure, peers, recording, report, workloads  # noqa: E402
from benchmarks.first_runs import report as first_runs_report  # noqa: E402
from benchmarks.first_runs import runs  # noqa: E402

STEPWISE = [name for name in workloads.names() if workloads.load(name).unit is None]
# Of several sizes, which in small are one, the first; of two dtypes the wider.
SMALL = [name for name in STEPWISE if name not in ("mlp_step_wide", "pgd", "pinn_burgers", "random_trees")]


def agree(value, expected):
    value, expected = np.asarray(value), np.asarray(expected)
    assert value.dtype == expected.dtype
    np.testing.assert_allclose(value, expected, rtol=1e-4, atol=1e-4 * np.abs(expected).max())


@pytest.mark.parametrize("name", SMALL)
def test_workload_computes_what_its_functional_form_does(name):
    workload = workloads.load(name, small=True)
    (step, arguments), (limit, limit_arguments) = workload.make(tfcompat), workload.make_jax()
    # Where kernels are warm, each of several nested walks is one operation only from its second time on.
    for _ in range(6):
        agree(step(*arguments), limit(*limit_arguments))
    before = peers.programs_compiled("tfcompat")
    for _ in range(3):
        agree(step(*arguments), limit(*limit_arguments))
    assert peers.programs_compiled("tfcompat") == before
    assert engine.stats()["ops_pending"] < 1000


@pytest.mark.parametrize("name", ["fgsm_step", "batch_jacobian"])
def test_workload_is_the_same_in_a_function(name):
    workload = workloads.load(name, small=True)
    (step, arguments), (limit, limit_arguments) = workload.make(tfcompat), workload.make_jax()
    step = tfcompat.function(step)
    for _ in range(2):
        agree(step(*arguments), limit(*limit_arguments))


def test_trees_are_compiled_once_for_each_structure():
    workload = workloads.load("random_trees", small=True)
    (step, _), (limit, _) = workload.make(tfcompat), workload.make_jax()
    for _ in range(20):
        agree(step(), limit())
    before = peers.programs_compiled("tfcompat")
    for _ in range(20):
        agree(step(), limit())
    assert peers.programs_compiled("tfcompat") == before


def test_every_module_is_listed_and_says_what_it_is():
    folder = ROOT / "benchmarks" / "workloads"
    assert {path.stem for path in folder.glob("[!_]*.py")} == set(workloads.MODULES)
    titles = [workloads.title(name) for name in workloads.names()]
    assert len(set(titles)) == len(titles)
    for name in workloads.names():
        assert set(getattr(workloads.load(name).module, "NOT_ON", {})) <= set(peers.PEERS)


def test_peers_that_disagree_are_not_timed():
    measure.compare("mlp_step", {"jax": [1.0, 0.5], "tfcompat": [1.0, 0.5000001]})
    with pytest.raises(measure.Disagreement, match="tfcompat computes .* nothing timed"):
        measure.compare("mlp_step", {"jax": [1.0, 0.5], "tfcompat": [1.0, 0.6]})


def test_missing_peer_is_named_and_the_others_are_timed(tmp_path, monkeypatch):
    (tmp_path / "tensorflow.py").write_text("raise ImportError('not installed here')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    output = tmp_path / "times.json"
    options = ["--workloads=mlp_step", "--rounds=1", "--quick", f"--json={output}", "--peers", "tf", "jax", "tfcompat"]
    command = [sys.executable, "-m", "benchmarks", *options]
    done = subprocess.run(command, text=True, capture_output=True, cwd=ROOT, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "not here: not installed here" in done.stdout
    assert "tfcompat, eager" in done.stdout
    measured = json.loads(output.read_text())["workloads"]["mlp_step"]
    assert measured["missing"] == {"tf": "not installed here"}
    assert set(measured["peers"]) == {"jax", "tfcompat"}
    assert all(len(row["times"]) == 1 and row["median"] > 0 for row in measured["peers"].values())


def test_a_peer_that_takes_too_long_is_stopped():
    measured = measure.measure("mlp_step", ["jax"], 1, small=True, limit=0.01)
    assert measured["peers"] == {}
    assert measured["failed"] == {"jax": "no answer within 0 seconds"}


def test_peers_that_cannot_sensibly_run_a_workload_say_why():
    for name in ("euler_loop", "random_trees"):
        with pytest.raises(workloads.Missing):
            workloads.load(name).check("tf-xla")
    workloads.load("euler_loop").check("tf")
    with pytest.raises(workloads.Missing, match="not written for it"):
        workloads.load("resnet").make_torch()


def test_memory_and_cold_start_are_measured_in_processes_of_their_own():
    memory = workloads.load("memory_growth", small=True)
    if not pathlib.Path("/proc/self/status").exists():
        pytest.skip("resident memory is read from /proc")
    assert memory.unit == "%"
    found = memory.measure("jax", 300)
    assert len(found["results"]) == 10 and abs(found["value"]) < 50
    cold = workloads.load("cold_start_import").measure("jax", 300)
    assert 0 < cold["value"] < 300


def everything():
    """As measured, of two workloads and three peers, one of them missing."""
    stepwise = {
        "title": "A step", "unit": None, "missing": {"tf-xla": "a reason"}, "failed": {"tf": "stopped:\nbadly"},
        "peers": {
            "tfcompat": {"times": [3e-3, 2e-3, 4e-3], "median": 3e-3, "low": 2e-3, "high": 4e-3, "ratio": 1.5,
                         "first_step_seconds": 1.0, "device": "cpu", "compiled_while_timed": 2},
            "jax": {"times": [2e-3] * 3, "median": 2e-3, "low": 2e-3, "high": 2e-3, "ratio": 1.0,
                    "first_step_seconds": 0.5, "device": "cpu"},
        },
    }  # fmt: skip
    whole = {
        "title": "A process", "unit": "s", "missing": {"jax": "another reason"}, "failed": {},
        "peers": {"tfcompat": {"times": [12.0], "median": 12.0, "low": 12.0, "high": 12.0},
                  "tf": {"times": [15.5], "median": 15.5, "low": 15.5, "high": 15.5}},
    }  # fmt: skip
    return {"peers": list(peers.PEERS), "workloads": {"a_step": stepwise, "a_process": whole}}


def test_table_shows_ratios_reasons_and_recompilation():
    lines = report.text("a_step", everything()["workloads"]["a_step"]).splitlines()
    assert lines[0] == "a_step: A step"
    assert "3 ms" in lines[2] and "1.50" in lines[2] and "compiled 2 programs while timed" in lines[2]
    assert "not here: a reason" in lines[4]
    assert lines[5].endswith("FAILED: badly")


def test_markdown_has_a_column_for_each_peer_that_was_there():
    header, _, *rows = report.markdown(everything()).splitlines()
    assert header.count("|") == 5
    assert "jit_compile" not in header
    assert rows[0] == "| a_step | 1.50 | – (1) | 2 ms |"
    assert rows[1] == "| a_process | 12 s | 15.5 s | – (2) |"
    assert rows[3:] == ["(1) badly  ", "(2) another reason"]


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [(2.5, None, "2.5 s"), (0.0301, None, "30.1 ms"), (999e-6, None, "999 µs"), (1.5e-6, None, "1.5 µs"),
     (151.7, "MB", "152 MB"), (0.25, "%", "0.25 %"), (12345.0, "MB", "12,345 MB"), (12.345, "s", "12.3 s")],
)  # fmt: skip
def test_amounts_have_about_three_digits(value, unit, shown):
    assert report.amount(value, unit) == shown


def test_ratios_are_medians_over_rounds(monkeypatch):
    times = {"jax": [1.0, 2.0, 4.0], "tfcompat": [2.0, 2.0, 2.0]}
    rows = {peer: {"times": values} for peer, values in times.items()}
    monkeypatch.setattr(measure, "_by_step", lambda *_: (rows, {}, {}))
    measured = measure.measure("mlp_step", list(times), 3)
    assert measured["peers"]["tfcompat"]["ratio"] == 1.0
    assert measured["peers"]["jax"]["median"] == 2.0


def test_what_is_recorded_is_timed_in_both_ways(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["recording", "--rounds", "3"])
    recording.main()
    rows = [line.split("|")[1:-1] for line in capsys.readouterr().out.splitlines()[2:]]
    assert [name.strip() for name, _, _ in rows] == [name for name, _ in recording.programs(tfcompat)]
    assert all(figure.strip().endswith(" ns") for _, *figures in rows for figure in figures)


def test_picture_is_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    report.picture(everything(), tmp_path / "ratios.png")
    assert (tmp_path / "ratios.png").read_bytes().startswith(b"\x89PNG")


def test_picture_without_matplotlib_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setattr(benchmarks.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SystemExit):
        benchmarks.main(["--picture", "ratios.png"])
    assert "pip install matplotlib" in capsys.readouterr().err


def test_list_names_all(capsys):
    assert benchmarks.main(["--list"]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in [*workloads.names(), *peers.PEERS])


def test_first_runs_are_timed_compared_and_do_without_tensorflow(tmp_path, monkeypatch):
    (tmp_path / "tensorflow.py").write_text("raise ImportError('not installed here')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    output, table = tmp_path / "times.json", tmp_path / "table.md"
    command = [sys.executable, "-m", "benchmarks.first_runs", "--programs", "convolutions"]
    done = subprocess.run(
        [*command, f"--json={output}", f"--markdown={table}"], text=True, capture_output=True, cwd=ROOT, timeout=300
    )
    assert done.returncode == 0, done.stderr
    measured = json.loads(output.read_text())["programs"]["convolutions"]
    assert measured["missing"] == {"tensorflow": "not installed here"} and not measured["failed"]
    assert set(measured["runs"]) == {"first", "second"}
    assert all(min(times["seconds"]) > 0 and min(times["processor"]) > 0 for times in measured["runs"].values())
    assert "| convolutions | – | " in table.read_text()


def test_programs_of_first_runs_that_compute_something_else_are_no_results(monkeypatch):
    reports = {"tensorflow": {"losses": [1.0, 0.5]}, "tfcompat": {"losses": [1.0, 0.5001]}}
    answers = lambda python, peer, *_: {"seconds": 2.0, "processor": 3.0, "report": reports[peer]}  # noqa: E731
    monkeypatch.setattr(runs, "_run", answers)
    pythons = dict.fromkeys(runs.PEERS, "python")
    measured = runs.measured("graphs", pythons, 2, 60)
    assert not measured["failed"] and first_runs_report.ratio(measured, "second") == 1.0
    assert measured["runs"]["first"] == {"seconds": [2.0, 2.0], "processor": [3.0, 3.0]}
    for different in ([1.0, 0.6], [1.0], [1.0, None], {"x": 1.0}):
        reports["tfcompat"] = {"losses": different}
        measured = runs.measured("graphs", pythons, 2, 60)
        assert "first run computes something else: report.losses" in measured["failed"]["tfcompat"]
        assert set(measured["runs"]) == {"tensorflow"}
    shown = first_runs_report.text("graphs", measured) + first_runs_report.markdown({"programs": {"graphs": measured}})
    assert "FAILED" in shown and "- graphs on tfcompat: first run computes something else" in shown


def test_every_program_of_first_runs_says_what_it_is_and_ends_in_a_report():
    for name, title in runs.PROGRAMS.items():
        source = (ROOT / "benchmarks" / "first_runs" / "programs" / f"{name}.py").read_text(encoding="utf-8")
        assert len(title) > 20 and "import tensorflow as tf" in source and "\nreport = {" in source
