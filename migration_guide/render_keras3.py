"""Renders the tables of keras3.toml into keras3.md.

    python migration_guide/render_keras3.py
"""

import pathlib
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
SOURCE, PAGE = HERE / "keras3.toml", HERE / "keras3.md"
START, END = "<!-- Rendered from keras3.toml by render_keras3.py -->", "<!-- end -->"


def render(page):
    """The text of a page with the tables as they should be."""
    data = tomllib.loads(SOURCE.read_text(encoding="utf-8"))
    lines = ["", "| tests | run | pass here | of what passes on TensorFlow |", "|---|---|---|---|"]
    for row in data["folder"]:
        here, there = row["passed"], row["on_tensorflow"]
        lines.append(f"| {row['tests']} | {row['sample']} | {here} of {there} | {100 * here / there:.1f} % |")
    lines += ["", "What fails, and why:", "", "| tests | reason |", "|---|---|"]
    lines += [f"| {row['tests']} | {row['reason']} |" for row in data["failure"]]
    head, _, rest = page.partition(START)
    return head + START + "\n" + "\n".join(lines) + "\n\n" + END + rest.partition(END)[2]


if __name__ == "__main__":
    PAGE.write_text(render(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
