"""Runs the tests of other libraries, unmodified, on TensorFlow and on tfcompat, and renews the table of rates.

    python own_tests.py run LIBRARY CHECKOUT RESULTS --tensorflow PYTHON --tfcompat PYTHON
    python own_tests.py count RESULTS       writes own_tests.json, and its table into ../public_programs.md
    python own_tests.py failures RESULTS    lists what passes on TensorFlow only

`own_tests.toml` says which tests of which version. CHECKOUT is the library's source at that version. The two
interpreters have what the library needs, and one TensorFlow, the other tfcompat. RESULTS is a folder that keeps what
pytest printed; a file of tests that has been run is not run again. A file runs in a process of its own, which is
stopped after --seconds of processor time; areas with `together` run all their files in one. --side runs one of the two
alone, --area one of the areas.

The runs of pytest load this file as a plugin, which tells absl that its flags are parsed. Tests of TensorFlow
Probability ask for some. What else a library's tests need is a plugin of its own, named in `own_tests.toml`.
"""

import argparse
import importlib.util
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
PLAN, RATES, PAGE = HERE / "own_tests.toml", HERE / "own_tests.json", HERE.parent / "public_programs.md"
START, END = "<!-- Rendered from own_tests.json by own_tests.py -->", "<!-- end of rates -->"
VERDICT = re.compile(r"^(?P<test>\S+::.*?) (?P<verdict>PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)\b.*$", re.MULTILINE)
SUBTEST_FAILED = re.compile(r"^SUBFAILED(?:\[.*?\]|\(.*?\))* (?P<test>\S+::.*?)(?: - .*)?$", re.MULTILINE)
STOPPED = "stopped after the time limit"
COMMANDS = {"tensorflow": ["-m", "pytest"], "tfcompat": ["-m", "tfcompat", "run", "-m", "pytest"]}


def pytest_configure(config):
    """Marks absl's flags as parsed, where it is installed."""
    if importlib.util.find_spec("absl") is not None:
        importlib.import_module("absl.flags").FLAGS.mark_as_parsed()


def libraries():
    """The entries of own_tests.toml by name."""
    return {entry["name"]: entry for entry in tomllib.loads(PLAN.read_text(encoding="utf-8"))["library"]}


def chosen(area, checkout):
    """The files of tests of an area that are run: every `every`-th of the sorted ones."""
    files = sorted({file for pattern in area["files"] for file in checkout.glob(pattern)})
    return [file.relative_to(checkout).as_posix() for file in files[:: area.get("every", 1)]]


def run(library, checkout, results, pythons, seconds, only=None):
    """Runs what has not been run yet of a library's chosen files; of one area only, if that is named."""
    checkout = checkout.resolve()
    for area in library["area"]:
        if only not in (None, area["name"]):
            continue
        names = chosen(area, checkout)
        runs = {"together": names} if area.get("together") else {name.replace("/", "+"): [name] for name in names}
        for run_name, files in runs.items():
            for side, python in pythons.items():
                output = results / library["name"] / area["name"] / side / (run_name + ".txt")
                if not output.exists():
                    output.parent.mkdir(parents=True, exist_ok=True)
                    _run_files(library, checkout, files, [python, *COMMANDS[side]], output, seconds)
                    print(side, area["name"], run_name, dict(_counted(verdicts(output))), flush=True)


def _run_files(library, checkout, names, command, output, seconds):
    options = ["-v", "--tb=short", "-o", "log_cli=false", "--continue-on-collection-errors"]
    for plugin in ("no:cacheprovider", "no:xdist", pathlib.Path(__file__).stem, *library.get("plugins", [])):
        options += ["-p", plugin]
    paths = [str(checkout / folder) for folder in library.get("paths", ["."])]
    paths += [str(HERE), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), **library.get("environment", {})}
    unfinished = output.with_suffix(".part")
    with open(unfinished, "w", encoding="utf-8") as file:
        process = subprocess.Popen(
            [*command, *options, *names], cwd=checkout, env=environment, stdout=file, stderr=subprocess.STDOUT,
        )  # fmt: skip
        resource.prlimit(process.pid, resource.RLIMIT_CPU, (seconds, resource.RLIM_INFINITY))
        if process.wait() == -signal.SIGXCPU:
            file.seek(0, os.SEEK_END)
            file.write(f"\n{STOPPED}\n")
    unfinished.rename(output)


def verdicts(output):
    """What pytest said of each test, by its name; what it did not come to is missing."""
    text = output.read_text(encoding="utf-8", errors="replace")
    found = {match["test"]: match["verdict"] for match in VERDICT.finditer(text)}
    # pytest says that a unittest passed though one of its subtests failed.
    return found | {match["test"]: "FAILED" for match in SUBTEST_FAILED.finditer(text)}


def _counted(results):
    names = list(results.values())
    return sorted((name, names.count(name)) for name in set(names))


def compared(results, library, area):
    """For each file that ran on both: its name, what TensorFlow passes, of these what passes, and what was reached."""
    folder = results / library / area
    for there in sorted((folder / "tensorflow").glob("*.txt")):
        here = folder / "tfcompat" / there.name
        if here.exists():
            passing = {test for test, verdict in verdicts(there).items() if verdict == "PASSED"}
            ours = verdicts(here)
            stopped = STOPPED in here.read_text(encoding="utf-8", errors="replace")
            reached = passing & ours.keys() if stopped else passing
            yield there.stem, passing, {test for test in passing if ours.get(test) == "PASSED"}, reached


def count(results):
    """Writes own_tests.json: of each library's areas, the numbers of files and tests. Others' entries stay."""
    rates = json.loads(RATES.read_text(encoding="utf-8")) if RATES.exists() else {}
    for name, library in libraries().items():
        for area in library["area"]:
            rows = list(compared(results, name, area["name"]))
            if rows:
                rates.setdefault(name, {})[area["name"]] = {
                    "files": len({test.partition("::")[0] for _, passing, _, _ in rows for test in passing}),
                    "on_tensorflow": sum(len(passing) for _, passing, _, _ in rows),
                    "reached": sum(len(reached) for _, _, _, reached in rows),
                    "passed": sum(len(passed) for _, _, passed, _ in rows),
                }
    RATES.write_text(json.dumps(rates, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(rendered(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


def rendered(page):
    """The text of the page with the table as it should be."""
    rates = json.loads(RATES.read_text(encoding="utf-8"))
    lines = [
        "",
        "| library | its tests | files | pass on TensorFlow | reached here in time | pass here | rate |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, library in libraries().items():
        rows = []
        for area in library["area"]:
            if numbers := rates.get(name, {}).get(area["name"]):
                every = area.get("every", 1)
                rows.append((area["name"] if every == 1 else f"{area['name']}: one file in {every}", numbers))
        if len(rows) > 1:
            rows.append(("all of these", {key: sum(numbers[key] for _, numbers in rows) for key in rows[0][1]}))
        lines += [_line(f"{name} {library['version']}", *row) for row in rows]
    head, _, rest = page.partition(START)
    return head + START + "\n" + "\n".join(lines) + "\n\n" + END + rest.partition(END)[2]


def _line(library, tests, numbers):
    rate = f"{100 * numbers['passed'] / numbers['reached']:.1f} %" if numbers["reached"] else "-"
    cells = (library, tests, *(numbers[key] for key in ("files", "on_tensorflow", "reached", "passed")), rate)
    return "| " + " | ".join(map(str, cells)) + " |"


def failures(results):
    """Prints what passes on TensorFlow and was reached, but does not pass here."""
    for name, library in libraries().items():
        for area in library["area"]:
            for file, _, passed, reached in compared(results, name, area["name"]):
                for test in sorted(reached - passed):
                    print(name, file, test.partition("::")[2])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    runs = commands.add_parser("run")
    runs.add_argument("library", choices=libraries())
    runs.add_argument("checkout", type=pathlib.Path)
    runs.add_argument("results", type=pathlib.Path)
    runs.add_argument("--tensorflow", required=True)
    runs.add_argument("--tfcompat", required=True)
    runs.add_argument("--seconds", type=int, default=300)
    runs.add_argument("--side", choices=COMMANDS)
    runs.add_argument("--area")
    for command in ("count", "failures"):
        commands.add_parser(command).add_argument("results", type=pathlib.Path)
    options = parser.parse_args()
    if options.command == "run":
        pythons = {side: getattr(options, side) for side in COMMANDS if options.side in (None, side)}
        run(libraries()[options.library], options.checkout, options.results, pythons, options.seconds, options.area)
    else:
        {"count": count, "failures": failures}[options.command](options.results)


if __name__ == "__main__":
    main()
