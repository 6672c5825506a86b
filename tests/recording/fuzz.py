"""What TensorFlow makes of random programs: for each seed the short results, None where they hang on rounding.

The file is compressed, and written again after every few programs, so that a recording may be cut off and go on.
"""

import gzip
import json
import pathlib

from fuzz.compare import agree, short
from fuzz.programs import program, run

from recording import _reference

SEEDS = 2000
AT_ONCE = 20
GOLDEN = pathlib.Path(__file__).parents[1] / "golden" / "fuzz.json.gz"


NUDGES = (1e-7, -3e-7)


def results(tf, seed, nudges=NUDGES):
    """The short results of a program; None for a step whose result changes with the last digits of constants."""
    steps, kept = program(seed), {}
    plain = [short(x) for x in run(tf, steps, kept=kept)]
    nudged = [[short(x) for x in run(tf, steps, nudge, kept=kept)] for nudge in nudges]
    return [row[0] if all(agree(row[0], x, 0.1) for x in row) else None for row in zip(plain, *nudged, strict=True)]


def load():
    """The recorded results by seed, a string."""
    return json.loads(gzip.decompress(GOLDEN.read_bytes())) if GOLDEN.exists() else {}


def record(tf, options):
    rows = load() if options.new else {}
    for first in range(len(rows), SEEDS, AT_ONCE):
        rows.update((str(seed), results(tf, seed)) for seed in range(first, min(first + AT_ONCE, SEEDS)))
        text = ",\n".join(f'"{seed}": {json.dumps(row)}' for seed, row in rows.items())
        GOLDEN.write_bytes(gzip.compress(f"{{\n{text}\n}}\n".encode(), 9, mtime=0))
        print(len(rows), "programs", flush=True)
    print(_reference.versions())
