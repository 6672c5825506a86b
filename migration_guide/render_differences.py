"""Renders differences.toml as differences.md.

    python migration_guide/render_differences.py
    python migration_guide/render_differences.py --on-tensorflow    also runs the programs on TensorFlow
"""

import contextlib
import io
import linecache
import pathlib
import runpy
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
SOURCE, PAGE = HERE / "differences.toml", HERE / "differences.md"
TEXTS = {"id", "symbol", "tensorflow", "tfcompat", "reason"}
DEMONSTRATION = {"program", "tensorflow_prints", "tfcompat_prints"}
HEADER = """\
<!-- Rendered from differences.toml by render_differences.py; edit that. -->
# Known differences from TensorFlow 2

Everything else is meant to agree: values, dtypes, shapes, gradients, exceptions, printed forms. A difference that is
not listed is a bug. Symbols that do not exist in tfcompat are not listed; using one raises an AttributeError that
names it.
"""


def load():
    """The entries of differences.toml.

    Raises:
      ValueError: an entry lacks a field, has an unknown one, or repeats an id.
    """
    entries = tomllib.loads(SOURCE.read_text(encoding="utf-8"))["difference"]
    seen = set()
    for entry in entries:
        if entry.keys() not in (TEXTS, TEXTS | DEMONSTRATION) or not all(entry.values()):
            raise ValueError(f"difference {entry.get('id')!r}: its fields are {sorted(entry)}")
        if entry["id"] in seen:
            raise ValueError(f"difference {entry['id']!r} appears twice")
        seen.add(entry["id"])
    return entries


def printed(program, tf):
    """What a program prints, with the type of the exception that ends it, if one does."""
    output = io.StringIO()
    # AutoGraph asks for the source of functions: here it is.
    name = f"<difference {hash(program)}>"
    linecache.cache[name] = (len(program), None, program.splitlines(keepends=True), name)
    with contextlib.redirect_stdout(output):
        try:
            exec(compile(program, name, "exec"), {"tf": tf})
        except Exception as error:
            print(type(error).__name__)
    return output.getvalue().strip()


def render(entries):
    return "\n".join([HEADER, *map(_section, sorted(entries, key=lambda entry: entry["symbol"].lower()))])


def _section(entry):
    text = (
        f'<a id="{entry["id"]}"></a>\n'
        f"## {entry['symbol']}\n\n"
        f"**TensorFlow:** {entry['tensorflow']}\n\n"
        f"**tfcompat:** {entry['tfcompat']}\n\n"
        f"**Why:** {entry['reason']}\n"
    )
    if "program" in entry:
        ours, theirs = entry["tfcompat_prints"].strip(), entry["tensorflow_prints"].strip()
        text += f"\n```python\n{entry['program'].strip()}\n# TensorFlow: {theirs}\n# tfcompat: {ours}\n```\n"
    return text


def _check_on_tensorflow(entries):
    import tensorflow as tf

    for entry in entries:
        if "program" in entry:
            got = printed(entry["program"], tf)
            if got != entry["tensorflow_prints"].strip():
                sys.exit(f"{entry['id']}: TensorFlow {tf.__version__} prints {got!r}")


if __name__ == "__main__":
    if "--on-tensorflow" in sys.argv[1:]:
        _check_on_tensorflow(load())
    PAGE.write_text(render(load()), encoding="utf-8")
    print(f"{PAGE.name}: {len(load())} differences")
    runpy.run_path(str(HERE / "render_coverage.py"), run_name="__main__")  # it links to the differences
