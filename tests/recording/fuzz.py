"""What TensorFlow makes of random programs: for each seed the short results, None where they hang on rounding."""

import json
import pathlib

from fuzz.compare import agree, short
from fuzz.programs import program, run

from recording import _reference

SEEDS = range(60)
GOLDEN = pathlib.Path(__file__).parents[1] / "golden" / "fuzz.json"


def results(tf, seed):
    """The short results of a program; None for a step whose result changes with the last digits of constants."""
    steps = program(seed)
    plain = [short(x) for x in run(tf, steps)]
    nudged = [[short(x) for x in run(tf, steps, nudge)] for nudge in (1e-7, -3e-7)]
    return [a if agree(a, b, 0.1) and agree(a, c, 0.1) else None for a, b, c in zip(plain, *nudged, strict=True)]


def record(tf, options):
    rows = {str(seed): results(tf, seed) for seed in SEEDS}
    text = ",\n".join(f'"{seed}": {json.dumps(row)}' for seed, row in rows.items())
    GOLDEN.write_text(f"{{\n{text}\n}}\n", encoding="utf-8")
    print(_reference.versions())
