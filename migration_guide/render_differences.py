"""Renders differences.toml as differences.md.

    python migration_guide/render_differences.py
"""

import pathlib
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
SOURCE, PAGE = HERE / "differences.toml", HERE / "differences.md"
FIELDS = {"id", "symbol", "tensorflow", "tfcompat", "reason"}
HEADER = """\
<!-- Rendered from differences.toml by render_differences.py; edit that. -->
# Known differences from TensorFlow 2

What is not listed here is meant to agree: values, dtypes, shapes, gradients, exceptions, printed form. A
difference that is not listed is a bug.
"""


def load():
    """The entries of differences.toml.

    Raises:
      ValueError: an entry lacks a field, has an unknown one, or repeats an id.
    """
    entries = tomllib.loads(SOURCE.read_text(encoding="utf-8"))["difference"]
    seen = set()
    for entry in entries:
        if entry.keys() != FIELDS or not all(isinstance(text, str) and text for text in entry.values()):
            raise ValueError(f"difference {entry.get('id')!r}: needs the texts {', '.join(sorted(FIELDS))}")
        if entry["id"] in seen:
            raise ValueError(f"difference {entry['id']!r} appears twice")
        seen.add(entry["id"])
    return entries


def render(entries):
    sections = [
        f'<a id="{entry["id"]}"></a>\n'
        f"## {entry['symbol']}\n\n"
        f"**TensorFlow:** {entry['tensorflow']}\n\n"
        f"**tfcompat:** {entry['tfcompat']}\n\n"
        f"**Why:** {entry['reason']}\n"
        for entry in sorted(entries, key=lambda entry: entry["symbol"].lower())
    ]
    return "\n".join([HEADER, *sections])


if __name__ == "__main__":
    PAGE.write_text(render(load()), encoding="utf-8")
    print(f"{PAGE.name}: {len(load())} differences")
