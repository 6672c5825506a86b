"""Renders coverage.md: which public names of TensorFlow exist, namespace by namespace.

    python migration_guide/render_coverage.py

What TensorFlow has was recorded in tests/golden/public_names.json (`tests/record.py signatures`), how often
programs use it in tests/golden/api_uses.tsv; what is there is looked up in the package.
"""

import csv
import json
import pathlib
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
GOLDEN = HERE.parent / "tests" / "golden"
PAGE = HERE / "coverage.md"
RAW = "tf.raw_ops"
HEADER = """\
<!-- Rendered from the package by render_coverage.py. -->
# Coverage

Names of TensorFlow 2.21's public API in the namespaces of ops. A name that is missing raises an AttributeError that
says so. [differences.md](differences.md) lists how existing names differ from TensorFlow's.
"""


def names():
    """Dict from namespace to the names that TensorFlow has there, submodules left out."""
    return json.loads((GOLDEN / "public_names.json").read_text(encoding="utf-8"))


def resolves(tf, symbol):
    """Whether a dotted name leads to something; methods of tensors are those of eager tensors."""
    target = tf
    for part in symbol.split(".")[1:]:
        try:
            target = getattr(target, part)
        except AttributeError:
            return False
        if target is tf.Tensor:
            target = type(tf.constant(0))
    return True


def computed():
    """The public names of `tf.raw_ops` that compute something."""
    from tfcompat.raw_ops._registry import OPS

    return sorted((name for name, function in OPS.items() if function.definition.is_public), key=str.lower)


def uses():
    """Rows `(symbols, tier, uses)` of the names in these namespaces that public code was found to use."""
    with (GOLDEN / "api_uses.tsv").open(encoding="utf-8") as table:
        rows = list(csv.DictReader(table, delimiter="\t"))
    return [([row["symbol"], *row["aliases"].split()], row["tier"], int(row["uses"])) for row in rows]


def _differences():
    """Dict from symbol to the ids of the differences that name it."""
    entries = tomllib.loads((HERE / "differences.toml").read_text(encoding="utf-8"))["difference"]
    found: dict = {}
    for entry in entries:
        for symbol in entry["symbol"].replace(",", " ").split():
            if symbol.startswith("tf."):
                found.setdefault(symbol, []).append(entry["id"])
    return found


def render(tf):
    """The page."""
    recorded, differing = names(), _differences()
    present = {space: [n for n in known if resolves(tf, f"{space}.{n}")] for space, known in recorded.items()}
    present[RAW] = computed()
    counted = [space for space in recorded if space != RAW]
    total, there = (sum(len(found[space]) for space in counted) for found in (recorded, present))
    used = [(any(resolves(tf, s) for s in symbols), *rest) for symbols, *rest in uses()]
    share = 100 * sum(count for known, _, count in used if known) / sum(count for _, _, count in used)
    lines = [
        HEADER,
        f"**{there} of {total} names ({100 * there / total:.1f} %)** are implemented, and {len(present[RAW])} ops of "
        f"`{RAW}`. A survey of public code counted uses of {len(used)} names in these namespaces and of methods of "
        f"their classes; **{share:.1f} %** of the uses are of names that exist:\n",
        "| tier | in use | exist |",
        "|---|---|---|",
    ]
    for tier in sorted({tier for _, tier, _ in used}):
        of_tier = [known for known, t, _ in used if t == tier]
        lines.append(f"| {tier} | {len(of_tier)} | {sum(of_tier)} |")
    lines.append("\nTier A is used most, D least.\n")
    lines += ["| namespace | names | exist |", "|---|---|---|"]
    lines += [f"| `{space}` | {len(recorded[space])} | {len(present[space])} |" for space in recorded]
    for space, known in recorded.items():
        absent = [name for name in known if name not in present[space]]
        lines.append(f"\n## {space}\n")
        shown = [_linked(f"{space}.{name}", name, differing) for name in present[space]]
        lines.append("There: " + (", ".join(shown) or "nothing") + ".\n")
        if space == RAW:
            lines += [f"The other {len(absent)} compute nothing. By families:\n", *_refused()]
        elif absent:
            lines.append("Missing: " + ", ".join(f"`{name}`" for name in absent) + ".")
        else:
            lines.append("Nothing is missing.")
    return "\n".join(lines) + "\n"


def _refused():
    """The lines of the table of families of ops that are not there."""
    from tfcompat.raw_ops._refused import families, refused_by_tensorflow

    raising = refused_by_tensorflow().keys()
    yield "| ops | how many | TensorFlow refuses, too | because of | use |"
    yield "|---|---|---|---|---|"
    for patterns, reason, way, fitting in families():
        shown = " ".join(f"`{pattern}`" for pattern in patterns.split())
        yield f"| {shown} | {len(fitting)} | {len(raising & set(fitting))} | {reason} | {way} |"


def _linked(symbol, name, differing):
    ids = differing.get(symbol, ())
    return f"`{name}`" + "".join(f" ([differs](differences.md#{each}))" for each in ids)


if __name__ == "__main__":
    import tfcompat

    PAGE.write_text(render(tfcompat), encoding="utf-8")
    print(next(line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("**")))
