"""Modules: what programs are compiled from, kept on disk for later processes.

JAX finds compiled code on disk by the module that it is compiled from, so it has to trace and to lower a program
before it can read the code, which takes far less time. A program that is told in text (see `host/own_texts`) is
therefore lowered to StableHLO once. Later processes find the module under that text and compile it as it is. A program
that is divided among devices, or whose module calls something in the process, such as LAPACK or Python, is lowered in
each process.
"""
import contextlib
import functools
import hashlib
import itertools
import json
import pathlib
import re
import threading
from typing import Any

import jax
from jax.core import ShapedArray
from jax.extend.core import Primitive, jaxpr_as_fun
from jax.interpreters import mlir

from tfcompat._formats.whole import Replacing
from tfcompat.engine import _policy as policy
from tfcompat.engine import conditions
from tfcompat.engine.compile import tiers
from tfcompat.engine.host.own_texts import text_of_program
from tfcompat.engine.host.shelf import NotText, fingerprint

SUFFIX = ".module"
# Settings of JAX that say nothing of what is computed.
_OF_OTHER_THINGS = re.compile("address|cache|color|cpu_devices|_dir|dump|guard|log|time|traceback|verbose")
_OF_THIS_PROCESS = re.compile(rb"callback|lapack|mesh")  # names in a module of what only this process knows
_folder: pathlib.Path | None = None


def keep_in(folder):
    """Modules are kept in `folder` from now on; nowhere if that is None."""
    global _folder
    _folder = folder


class Module:
    """A program as the function that `jax.jit` is given: one object, by which JAX knows what it has traced.

    Args:
      program: `Program`.
      is_divided: whether its inputs are on several devices.
    """

    __name__ = "replay"  # shown by profilers

    def __init__(self, program, is_divided=False):
        self.__wrapped__ = program.replay
        self._results: list[Any] = [_result(program, place) for place in program.outputs]  # their avals
        self._bytecode: Any = None  # the lowered program
        self._closed: Any = None    # its jaxpr, if its module is not kept
        self._facts: Any = None
        self._lock = threading.RLock()
        self._file = None if is_divided or None in self._results else _file_of(program)
        if self._file is not None:
            self._read()

    def __call__(self, *arrays):
        """The results of the program, while JAX traces."""
        if self._file is None:
            return self.__wrapped__(*arrays)
        with self._lock:
            if self._bytecode is None and self._closed is None:
                self._lower(arrays)
        parts = [getattr(aval, "parts", (aval,)) for aval in self._results]
        leaves, structure = jax.tree.flatten(arrays)
        if self._bytecode is None:
            results = iter(jaxpr_as_fun(self._closed)(*leaves))
        else:
            avals = tuple([(part.shape, part.dtype) for each in parts for part in each])
            replay = functools.partial(_replayed, self.__wrapped__, structure)
            results = iter(_run_p.bind(*leaves, bytecode=self._bytecode, out_avals=avals, replay=replay))
        return tuple([
            tuple(itertools.islice(results, len(each))) if hasattr(aval, "parts") else next(results)
            for aval, each in zip(self._results, parts, strict=True)
        ])  # fmt: skip

    def facts(self, avals):
        """The `tiers.Facts` of the program for inputs of these avals."""
        if self._facts is None:
            self._facts = tiers.facts(self.jaxpr(avals))
        return self._facts

    def jaxpr(self, avals):
        """The jaxpr of the program for inputs of these avals; traced once."""
        return self._traced(avals).jaxpr.jaxpr

    def _traced(self, avals):
        function = self if self._file is None else self.__wrapped__
        with jax.enable_x64(True):
            return jax.jit(function, keep_unused=True).trace(*avals)

    def _lower(self, arrays):
        """Lowers the program and keeps the module, if that is worth it and can be done."""
        traced = self._traced(jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype), arrays))
        facts = self._facts = self._facts or tiers.facts(traced.jaxpr.jaxpr)
        if facts.equations >= policy.KEEPING.module_equations and not traced.jaxpr.effects:
            with jax.enable_x64(True):
                module: Any = traced.lower().compiler_ir()
            bytecode = mlir.module_to_bytecode(module)
            if not _OF_THIS_PROCESS.search(bytecode):
                self._bytecode = bytecode
                head = facts, list(dict.fromkeys(_sites(traced.jaxpr.jaxpr))), _digest(bytecode)
                with contextlib.suppress(OSError), Replacing(self._file, sync=False) as output:
                    output.write(json.dumps(head).encode() + b"\n" + bytecode)
                return
        self._closed = traced.jaxpr

    def _read(self):
        file: Any = self._file
        with contextlib.suppress(OSError, ValueError, TypeError):
            head, _, bytecode = file.read_bytes().partition(b"\n")
            facts, sites, digest = json.loads(head)
            if digest == _digest(bytecode):
                for kind, text, rank, values in sites:
                    conditions.note_site(conditions.Site(kind, text, rank, tuple(values)))
                self._facts, self._bytecode = tiers.Facts(*facts), bytecode


def _sites(jaxpr):
    """The `conditions.Site`s of the checks in a jaxpr, as tuples: reports have only their codes."""
    for equation in jaxpr.eqns:
        if equation.primitive is conditions.check_p:
            yield equation.params["site"]
        for value in equation.params.values():
            for part in tiers.jaxprs(value):
                yield from _sites(part)


def _result(program, place):
    """The aval of a result of a program; None for an input that is returned."""
    return program.steps[place][0].aval if place >= 0 else None


def _replayed(replay, structure, *leaves):
    return jax.tree.leaves(replay(*jax.tree.unflatten(structure, leaves)))


def _digest(content):
    return hashlib.sha256(content).hexdigest()


def _file_of(program) -> Any:
    """Where the module of a program is kept; None if that is nowhere."""
    if _folder is None:
        return None
    try:
        text = text_of_program(program)
    except NotText:
        return None
    settings = [(name, str(value)) for name, value in jax.config.values.items() if not _OF_OTHER_THINGS.search(name)]
    told = fingerprint(), jax.__version__, jax.devices()[0].device_kind, sorted(settings), text
    return _folder / f"{_digest(repr(told).encode())}{SUFFIX}"


_run_p = Primitive("run_module")
_run_p.multiple_results = True


@_run_p.def_abstract_eval
def _results(*avals, bytecode, out_avals, replay):
    return [ShapedArray(shape, dtype) for shape, dtype in out_avals]


def _merge(context, *values, bytecode, out_avals, replay):
    """Makes the module a function of the one that is being lowered, and calls it."""
    if not _platforms().issuperset(context.module_context.platforms):  # it is run on the CPU beside a GPU
        return mlir.lower_fun(replay)(context, *values)
    whole = context.module_context.module
    module = mlir.ir.Module.parse(bytecode, context=whole.context)
    name = mlir.merge_mlir_modules(whole, "replay", module, dst_symtab=context.module_context.symbol_table)
    types = [mlir.aval_to_ir_type(context.module_context, aval) for aval in context.avals_out]
    call = mlir.ir.Operation.create(
        "func.call", results=types, operands=values, attributes={"callee": mlir.ir.FlatSymbolRefAttr.get(name)}
    )
    return list(call.results)


def _platforms():
    """The names of the platforms that modules are lowered for."""
    backend = jax.default_backend()
    return {"cuda", "rocm"} if backend == "gpu" else {backend}


mlir.register_lowering(_run_p, _merge)
