"""Renders the notebooks from their sources: each `NAME.py` here, in jupytext's percent format, as `NAME.ipynb`.

    python migration_guide/notebooks/render.py               cells that have not changed keep their outputs
    python migration_guide/notebooks/render.py --run [NAME]  runs the notebooks (or one), and stores what they show

`# %% [markdown]` begins a cell of text, whose lines are comments. A line `# %pip ...`, indented or not, is a command of
the notebook. What goes to stderr is not stored.
"""

import json
import pathlib
import re
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = sorted(path for path in HERE.glob("[0-9]*.py"))
CELL = re.compile(r"^# %%(?P<markdown> \[markdown\])?\n", re.MULTILINE)
# What is stored of an output, the best first.
KINDS = ("image/svg+xml", "image/png", "text/plain")


def render(source, executed=None):
    """The notebook of a source, as text.

    Args:
      source: pathlib.Path.
      executed: text of a notebook; cells of the same code get the outputs they have there.
    """
    text = source.read_text(encoding="utf-8")
    starts = list(CELL.finditer(text))
    ends = [match.start() for match in starts[1:]] + [len(text)]
    outputs = {} if executed is None else {_code(cell): cell for cell in json.loads(executed)["cells"]}
    cells = [
        _cell(text[match.end() : end].strip("\n"), number, bool(match["markdown"]), outputs)
        for number, (match, end) in enumerate(zip(starts, ends, strict=True))
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    content = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _cell(text, number, markdown, executed):
    pattern = r"^# ?" if markdown else r"^( *)# (?=%pip )"
    lines = re.sub(pattern, "" if markdown else r"\1", text, flags=re.MULTILINE).splitlines(keepends=True)
    cell = {"cell_type": "markdown" if markdown else "code", "id": f"cell-{number}", "metadata": {}, "source": lines}
    if markdown:
        return cell
    known = executed.get(_code(cell), {})
    return cell | {
        "execution_count": known.get("execution_count"),
        "outputs": [kept for each in known.get("outputs", ()) if (kept := _kept(each)) is not None],
    }


def _code(cell):
    return cell["cell_type"], "".join(cell["source"])


def _kept(output):
    """An output as it is stored; None if it is not."""
    if output["output_type"] == "stream":
        if output["name"] == "stderr":
            return None
        text = "".join(output["text"]).splitlines(keepends=True)
        return {"name": "stdout", "output_type": "stream", "text": text}
    if output["output_type"] not in ("display_data", "execute_result"):
        return output
    kind = next(kind for kind in KINDS if kind in output["data"])
    data = "".join(output["data"][kind]).rstrip("\n")
    content = data if kind == "image/png" else data.splitlines(keepends=True)
    kept = {"data": {kind: content}, "metadata": {}, "output_type": output["output_type"]}
    if output["output_type"] == "execute_result":
        kept["execution_count"] = output["execution_count"]
    return kept


def execute(source):
    """Runs the notebook of a source in a folder of its own; returns its text with outputs."""
    from tfcompat._tools import _notebook

    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, source.with_suffix(".ipynb").name)
        shutil.copy(source.with_suffix(".ipynb"), path)
        if _notebook.run(path, [], path, {}):
            raise SystemExit(f"{source.name} does not run to its end")
        return path.read_text(encoding="utf-8")


def main(arguments):
    run, names = "--run" in arguments, [argument for argument in arguments if argument != "--run"]
    for source in [source for source in SOURCES if not names or source.stem in names]:
        target = source.with_suffix(".ipynb")
        target.write_text(render(source, target.read_text(encoding="utf-8")), encoding="utf-8")
        if run:
            target.write_text(render(source, execute(source)), encoding="utf-8")
        print(target.name)


if __name__ == "__main__":
    main(sys.argv[1:])
