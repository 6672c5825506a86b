"""Runs a notebook, its text untouched, and saves it with its outputs."""

import json
import pathlib
import re
import sys

from tfcompat._tools._traceback import trim_in_notebooks

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def run(path, arguments, output, options):
    """Executes a notebook in a kernel of this Python, in the notebook's folder.

    Args:
      path: of the notebook.
      arguments: list of str, what `sys.argv` has after its first.
      output: where the executed notebook goes; by default beside it, as NAME-tfcompat.ipynb.
      options: dict of the options of `run` that are set.

    Returns:
      The exit status: 1 if a cell raised, which is saved all the same; 2 if it cannot be run.
    """
    try:  # optional dependencies
        import nbformat
        from ipykernel.kernelspec import get_kernel_dict
        from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
        from jupyter_client.manager import AsyncKernelManager
        from nbclient import NotebookClient
        from nbclient.exceptions import CellExecutionError, DeadKernelError
    except ImportError as error:
        print(f"tfcompat: notebooks need {error.name}: pip install 'tfcompat[notebook]'", file=sys.stderr)
        return 2

    class ThisPython(KernelSpecManager):
        """Whatever a notebook asks for, its kernel is this Python."""

        def get_kernel_spec(self, kernel_name):
            return KernelSpec(**get_kernel_dict())

    path = pathlib.Path(path)
    target = path.with_name(f"{path.stem}-tfcompat.ipynb") if output is None else pathlib.Path(output)
    try:
        notebook = nbformat.read(path, as_version=4)
    except (OSError, ValueError, nbformat.validator.NotebookValidationError) as error:
        print(f"tfcompat: cannot read {path}: {error}", file=sys.stderr)
        return 2
    options = dict(options)
    stats = options.pop("stats", False)
    client = NotebookClient(
        notebook, km=AsyncKernelManager(kernel_spec_manager=ThisPython()), timeout=None,
        resources={"metadata": {"path": str(path.resolve().parent)}},
        extra_arguments=[
            "--IPKernelApp.log_level=ERROR",
            *[f"--IPKernelApp.exec_lines={line}" for line in _preparation(path, arguments, options, stats)],
        ],
    )  # fmt: skip
    client.owns_km = True  # it ends the kernel when it is done
    if stats:
        code = "from tfcompat._tools import _statistics; print(_statistics.text())"
        notebook.cells.append(nbformat.v4.new_code_cell(code))
    try:
        client.execute()
        status = 0
    except CellExecutionError as error:
        status = 1
        if not _report(path, notebook):
            print(f"tfcompat: {path}: {_COLOURS.sub('', str(error)).strip()}", file=sys.stderr)
    except DeadKernelError as error:
        print(f"tfcompat: {path}: {error}", file=sys.stderr)
        status = 1
    if stats:
        said = "".join(o.get("text", "") for o in notebook.cells.pop().outputs).strip()
        print(said or "tfcompat: no statistics, because a cell raised", file=sys.stderr)
    nbformat.write(notebook, target)
    print(f"wrote {target}", file=sys.stderr)
    return status


def _preparation(path, arguments, options, stats):
    """Lines that the kernel runs before the first cell."""
    flags = ", ".join(f"{name}=True" for name in options)
    lines = [
        "import tfcompat, sys",
        "tfcompat.install()",
        f"sys.argv[:] = {json.dumps([str(path), *arguments])}",
        f"__import__('tfcompat._tools._modes')._tools._modes.apply({flags})",
        "__import__('tfcompat._tools._notebook')._tools._notebook.prepare(get_ipython())",
    ]
    if stats:
        lines.append("__import__('tfcompat._tools._statistics')._tools._statistics.start()")
    return [*lines, "del tfcompat, sys"]


def prepare(shell):
    """Readies the IPython shell of a kernel."""
    trim_in_notebooks(shell)
    shell.register_magic_function(_tensorflow_version, "line", "tensorflow_version")


def _tensorflow_version(line):
    """The command of older notebooks of Colab's: version 2 is what there is."""
    if line.strip().startswith("1"):
        from IPython.core.error import UsageError  # there is IPython only in kernels

        raise UsageError(f"%tensorflow_version {line}: tfcompat is TensorFlow 2")


def _report(path, notebook):
    """Prints the error of the cell that raised; returns whether one did, and no command of IPython's failed."""
    raised = False
    for number, cell in enumerate(notebook.cells, 1):
        for output in cell.get("outputs", ()):
            if output.output_type == "error":
                print(f"{path}, cell {number}:", file=sys.stderr)
                print(_COLOURS.sub("", "\n".join(output.traceback)), file=sys.stderr)
                raised = True
    return raised
