"""The pages of the guide as programs.

All ```python blocks of a page run in one namespace, in an empty folder; the ```text block beneath one, after at most a
line of text, is what it prints (stdout and stderr), where `...` stands for anything. If the line between says "such
as", numbers may be others. Blocks without a ```text block print nothing.

    python tests/documents/_pages.py PAGE ...                  says where a page and what it prints differ
    python tests/documents/_pages.py --write PAGE ...          writes what is printed into the page
    python tests/documents/_pages.py --on-tensorflow PAGE ...  the same on TensorFlow; only told ones may differ
"""

import contextlib
import io
import json
import linecache
import os
import pathlib
import re
import sys
import tempfile
import warnings

BLOCK = re.compile(
    r"```python\n(?P<code>.*?)```(?:\n+(?P<line>(?!```)[^\n]+\n+)?```text\n(?P<output>.*?)```)?", re.DOTALL
)
SLOW = re.compile(r"^tfcompat: compiling \d+ operations takes longer than .*\n", re.MULTILINE)  # than on other machines
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def programs(page):
    """The programs of a page and what they should print, as matches of BLOCK."""
    return list(BLOCK.finditer(pathlib.Path(page).read_text(encoding="utf-8")))


def printed(page, errors=False):
    """Runs a page in the current folder; yields what each block prints. `import tensorflow` must lead somewhere.

    With `errors` a block that raises prints what.
    """
    namespace, above = {"__name__": "program"}, ""
    for program in programs(page):
        # One file of all blocks: AutoGraph and tracebacks ask for the source of functions of earlier ones, too.
        text = above + program["code"]
        linecache.cache["program.py"] = (len(text), None, text.splitlines(keepends=True), "program.py")
        code = compile("\n" * above.count("\n") + program["code"], "program.py", "exec")
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            try:
                exec(code, namespace)
            except Exception as error:
                if not errors:
                    raise
                print(f"{type(error).__name__}: {error}")
        above = text
        yield SLOW.sub("", output.getvalue())


def agrees(got, program):
    """Whether this is what the page shows."""
    expected = program["output"] or ""
    if "such as" in (program["line"] or ""):
        got, expected = NUMBER.sub("0", got), NUMBER.sub("0", expected)
    pattern = ".*".join(re.escape(part) for part in expected.split("..."))
    return re.fullmatch(pattern, got, re.DOTALL) is not None


def _written(text, outputs):
    """A page with these outputs in place of those which disagree."""
    pieces, at = [], 0
    for program, got in zip(BLOCK.finditer(text), outputs, strict=True):
        if program["output"] is not None and not agrees(got, program):
            pieces += [text[at : program.start("output")], got]
            at = program.end("output")
    return "".join([*pieces, text[at:]])


def main(arguments):
    options = {argument for argument in arguments if argument.startswith("--")}
    elsewhere = "--on-tensorflow" in options
    if not elsewhere:
        import tfcompat

        tfcompat.install()
    warnings.filterwarnings("ignore", "tfcompat keeps compiling")  # programs of a page are run once
    failed = False
    for page in [pathlib.Path(argument).resolve() for argument in arguments if argument not in options]:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            outputs = []
            for program, got in zip(programs(page), printed(page, errors=elsewhere), strict=True):
                outputs.append(got)
                if "--json" not in options and not agrees(got, program):
                    failed = True
                    print(f"--- {page.name}\n{program['code']}--- shows\n{program['output'] or ''}--- prints\n{got}")
            os.chdir(page.parent)
        if "--json" in options:
            print(json.dumps(outputs))
        if "--write" in options:
            page.write_text(_written(page.read_text(encoding="utf-8"), outputs), encoding="utf-8")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
