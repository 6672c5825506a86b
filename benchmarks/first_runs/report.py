"""What was measured, as text and as a table for a page."""

import math

from benchmarks import report
from benchmarks.first_runs import runs

OURS = ("first", "second")


def least(measured, run, kind="seconds"):
    """The least over the rounds; None of a run that was not made."""
    return min(measured["runs"][run][kind]) if run in measured["runs"] else None


def ratio(measured, run):
    """Seconds of a run as a multiple of TensorFlow's; None where one of them is missing."""
    ours, theirs = least(measured, run), least(measured, "tensorflow")
    return ours / theirs if ours and theirs else None


def text(name, measured):
    """One program, a line a run."""
    lines = [f"{name}: {measured['title']}"]
    for run, times in measured["runs"].items():
        found = ratio(measured, run) if run in OURS else None
        seconds, processor = min(times["seconds"]), min(times["processor"])
        compared = f"{report.ratio_text(found):>8} x TensorFlow" if found else ""
        lines.append(f"    {runs.RUNS[run]:20}{seconds:8.2f} s{processor:8.2f} s of processors{compared}")
    lines += [f"    {peer:20}  not here: {why}" for peer, why in measured["missing"].items()]
    lines += [f"    {peer:20}  FAILED: {why}" for peer, why in measured["failed"].items()]
    return "\n".join(lines)


def markdown(everything):
    """All programs in one table: seconds, processor seconds in brackets, and ratios to TensorFlow."""
    lines = [
        "Seconds after import, of all processors in brackets, and ratios to TensorFlow's seconds.",
        "",
        "| program | TensorFlow, eager | first run | ratio | second run | ratio |",
        "|---|---|---|---|---|---|",
    ]
    notes = []
    programs = everything["programs"]
    for name, measured in programs.items():
        cells = [_amount(measured, "tensorflow")]
        for run in OURS:
            found = ratio(measured, run)
            cells += [_amount(measured, run), report.ratio_text(found) if found else ""]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
        reasons = {**measured["missing"], **measured["failed"]}
        notes += [f"- {name} on {peer}: {report.brief(why)}" for peer, why in reasons.items()]
    means = [_mean([ratio(measured, run) for measured in programs.values()]) for run in OURS]
    if all(means):
        lines.append(f"| geometric mean | | | {report.ratio_text(means[0])} | | {report.ratio_text(means[1])} |")
    lines += ["", *(f"- {name}: {measured['title']}" for name, measured in programs.items())]
    if notes:
        lines += ["", "Not measured:", "", *notes]
    return "\n".join(lines) + "\n"


def _amount(measured, run):
    seconds = least(measured, run)
    return "–" if seconds is None else f"{seconds:.2f} ({least(measured, run, 'processor'):.2f})"


def _mean(ratios):
    """The geometric mean of what there is; None of nothing."""
    known = [ratio for ratio in ratios if ratio]
    return math.exp(sum(map(math.log, known)) / len(known)) if known else None
