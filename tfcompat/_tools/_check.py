"""`python -m tfcompat check`: would these programs run, and what differs?"""

import argparse
import collections
import dataclasses
import json
import pathlib
import sys

from tfcompat._tools import _install, _slower, _sources, _uses
from tfcompat._tools._check_html import as_html
from tfcompat._tools._summary import STATUSES, summary
from tfcompat._tools._verdict import GUIDE, Judge

DESCRIPTION = """\
Reads scripts, packages and notebooks without running them. Lists the names of TensorFlow in them that differ or are
missing, with workarounds, and counts those that are supported. The result of a call is not known, so methods of
tensors are not checked; neither are names that are built at run time. Also says what would run slower than it could, or
would be compiled again at each turn of a loop.

With TF_USE_LEGACY_KERAS=0 in the environment, `tf.keras` is judged as Keras 3, as it would run.

Exit status: 0 if nothing is missing, 1 if something is (or a file cannot be read), 2 if a path does not exist.
"""


@dataclasses.dataclass
class Finding:
    """A name used in one file, or something that is slow: what becomes of it, and on which lines."""

    symbol: str
    status: str
    text: str
    differences: tuple
    lines: list
    guarded: bool


@dataclasses.dataclass
class File:
    """What was found in one file. `uses` counts uses by status; `packages` need TensorFlow itself."""

    source: _sources.Source
    findings: list
    uses: collections.Counter
    packages: dict

    @property
    def runs(self):
        """Whether nothing that the program needs is missing."""
        missing = any(f.status == "missing" and not f.guarded for f in self.findings)
        return self.source.error is None and not missing and not self.packages


def check(paths):
    """Reads the files under `paths`.

    Args:
      paths: list of files and folders.

    Returns:
      list of File.

    Raises:
      FileNotFoundError: a path does not exist.
    """
    judge = Judge()
    return [_checked(_sources.read(path), judge) for path in _sources.find(paths)]


def _checked(source, judge):
    if source.tree is None:
        return File(source, [], collections.Counter(), {})
    try:
        used, packages = _uses.uses(source.tree, judge.names_of)
    except RecursionError:
        source.error, source.error_line = "RecursionError: expressions are nested too deeply to read", 1
        return File(source, [], collections.Counter(), {})
    with_functions = any(use.symbol in ("tf.function", "tf.compat.v1.function") for use in used)
    found: dict = {}
    counts: collections.Counter = collections.Counter()
    for use in used:
        verdict = judge(use, with_functions)
        if verdict is None:
            continue
        # What is missing is looked for on purpose where the error would be caught; the program runs.
        counts["guarded" if verdict.status == "missing" and use.guarded else verdict.status] += 1
        key = (verdict.status, verdict.symbol, verdict.text, use.guarded)
        if key not in found:
            found[key] = Finding(
                verdict.symbol, verdict.status, verdict.text, verdict.differences, [], use.guarded
            )
        found[key].lines.append(use.line)
    for each in _slower.slow(source.tree):
        text = _slower.TEXTS[each.kind]
        finding = found.setdefault(("slower", each.kind), Finding(each.kind, "slower", text, (), [], False))
        finding.lines.append(each.line)
    for finding in found.values():
        finding.lines = list(dict.fromkeys(finding.lines))
    return File(source, list(found.values()), counts, packages)


# --- reports ----------------------------------------------------------------------------------------------------------


def as_text(files, everything=False):
    """The report for a person to read in a terminal.

    Args:
      files: list of File.
      everything: whether to list what is supported, too.
    """
    lines = []
    for file in files:
        shown = [f for f in file.findings if everything or f.status != "supported"]
        if not shown and not file.packages and file.source.error is None:
            continue
        lines.append(str(file.source.path))
        if file.source.error is not None:
            lines.append(f"  line {file.source.place(file.source.error_line or 1)}: {file.source.error}")
        for package, where in file.packages.items():
            lines.append(f"  needs TensorFlow  {package}  {_places(file.source, where)}")
            lines.append(f"      {_uses.DEPENDENT[package]}")
        for finding in sorted(shown, key=lambda f: STATUSES.index(f.status)):
            caught = " (the error is caught)" if finding.guarded and finding.status == "missing" else ""
            lines.append(f"  {finding.status:<10}{finding.symbol}  {_places(file.source, finding.lines)}{caught}")
            if finding.text:
                lines.append(f"      {finding.text}")
        lines.append("")
    ids = sorted({each for file in files for f in file.findings for each in f.differences if f.status == "differs"})
    if ids:
        lines.append(f"More on the differences in {GUIDE}: {', '.join(ids)}\n")
    return "\n".join([*lines, summary(files)]) + "\n"


def _places(source, lines):
    shown = [source.place(line) for line in lines[:20]]
    more = [f"and {len(lines) - 20} more"] if len(lines) > 20 else []
    if source.cells is None:
        return ("line " if len(lines) == 1 else "lines ") + ", ".join([*shown, *more])
    return "; ".join([*shown, *more])


def as_json(files):
    """The report for a program, as a JSON text.

    `{"runs", "summary", "uses": {status: count}, "files": [{"path", "runs", "error", "packages", "names"}]}`; each name
    has "symbol", "status", "text", "differences" (ids), "guarded" and "places", a list of {"line", "cell"}.
    """
    counts = sum((file.uses for file in files), collections.Counter())
    content = {
        "runs": all(file.runs for file in files),
        "summary": summary(files),
        "uses": {status: counts[status] for status in ("supported", "differs", "missing", "guarded")},
        "files": [_file_as_json(file) for file in files],
    }
    return json.dumps(content, indent=1) + "\n"


def _file_as_json(file):
    source = file.source
    error = None if source.error is None else {"text": source.error, **_place(source, source.error_line or 1)}
    names = [
        {"symbol": f.symbol, "status": f.status, "text": f.text, "differences": list(f.differences),
         "guarded": f.guarded, "places": [_place(source, line) for line in f.lines]}
        for f in file.findings
    ]  # fmt: skip
    packages = [
        {"name": name, "text": _uses.DEPENDENT[name], "places": [_place(source, line) for line in lines]}
        for name, lines in file.packages.items()
    ]
    return {"path": str(source.path), "runs": file.runs, "error": error, "packages": packages, "names": names}


def _place(source, line):
    cell = source.cell_of(line)
    return {"line": line, "cell": None} if cell is None else {"line": cell[1], "cell": cell[0]}


def main(arguments):
    """Runs the command; returns the exit status."""
    parser = argparse.ArgumentParser(
        "tfcompat check", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a script, a notebook, or a folder of them")
    parser.add_argument("--all", action="store_true", help="also list the supported names")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.add_argument("--html", metavar="FILE", help="also write the report as a self-contained page")
    options = parser.parse_args(arguments)
    try:
        if _install.wants_keras_3():
            _install.install()
        files = check(options.paths)
    except (FileNotFoundError, ModuleNotFoundError) as error:
        print(f"tfcompat check: {error}", file=sys.stderr)
        return 2
    print(as_json(files) if options.json else as_text(files, options.all), end="")
    if options.html:
        pathlib.Path(options.html).write_text(as_html(files), encoding="utf-8")
        print(f"wrote {options.html}", file=sys.stderr)
    return 0 if all(file.runs for file in files) else 1
