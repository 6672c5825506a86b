"""What a compiled program consists of: operations, kernels, bytes. Looked up when asked for; nothing is kept for it."""

import collections
import re

import jax

from tfcompat.engine import _program
from tfcompat.engine.compile import tiers
from tfcompat.engine.report import times
from tfcompat.engine.report.collectives import collectives

_INSTRUCTION = re.compile(r"^\s+(?:ROOT )?%?[\w.\-]+ = .*? ([a-z][\w\-]*)\(", re.MULTILINE)
# What the compiled program does not run as a kernel of its own.
_FREE = frozenset({"parameter", "constant", "tuple", "get-tuple-element", "bitcast", "after-all"})


class ProgramReport:
    """One recorded structure and what became of it.

    Attributes:
      operations: collections.Counter of the names of the operations recorded, those inside of functions not counted.
      runs: how often it was run; compiled: whether as one program (else operation by operation).
      inputs, outputs: how many arrays it takes and returns; `reused` of the inputs give their memory to outputs.
    """

    def __init__(self, program):
        self._program = program
        self._executable = None
        self.operations = collections.Counter(
            call.operation.name for call, _ in program.steps if call.operation.name != "Pick"
        )
        self.runs, self.compiled = program.sightings, program.executable is not None
        self.inputs, self.outputs = len(program.input_avals()), len(program.outputs)
        self.reused = len(program.donated)

    @property
    def executable(self):
        """The program fully compiled (`jax.stages.Compiled`), for looking at; compiled anew or read from disk.

        Raises:
          ValueError: the program starts from an operation of several results.
        """
        if self._executable is None:
            program = self._program
            avals = program.input_avals()
            if None in avals:
                raise ValueError("this program starts from an operation with several results, and cannot be inspected")
            with jax.enable_x64(True):
                function = program.executable if program.of_replicas() and program.executable is not None else None
                function = function or tiers.full(program.replay, program.donated)
                self._executable = function.lower(*avals).compile()
        return self._executable

    @property
    def hlo(self):
        """The optimized program, as XLA's text."""
        return self.executable.as_text() or ""

    @property
    def kernels(self):
        """collections.Counter of what XLA runs one after another: fusions, library calls, loops."""
        entry = self.hlo.partition("\nENTRY ")[2].partition("\n}")[0]
        return collections.Counter(name for name in _INSTRUCTION.findall(entry) if name not in _FREE)

    @property
    def collectives(self):
        """List of `Collective`s: what devices send each other in a run, one entry for each kind."""
        return collectives(self.hlo, self.devices)

    @property
    def devices(self):
        """How many devices the program runs on."""
        shardings = jax.tree.leaves(self.executable.input_shardings)
        return max((len(sharding.device_set) for sharding in shardings), default=1)

    @property
    def costs(self):
        """XLA's estimates for one run: dict of "flops", "bytes" (read and written) and "temporary_bytes"."""
        estimates = self.executable.cost_analysis() or {}
        estimates = estimates[0] if isinstance(estimates, list) else estimates
        memory = self.executable.memory_analysis()
        return {
            "flops": int(estimates.get("flops", 0)),
            "bytes": int(estimates.get("bytes accessed", 0)),
            "temporary_bytes": int(getattr(memory, "temp_size_in_bytes", 0)),
        }

    def times(self, runs=10):
        """Where the time of a run goes: runs the program on zeros under JAX's profiler.

        Args:
          runs: int, how often it is run.

        Returns:
          dict from the operations that share a kernel to the seconds of a run, the longest first, which prints as a
          table. Kernels that run side by side are added up: processor time, not time that passes.

        Raises:
          ValueError: as for `executable`.
        """
        with jax.enable_x64(True):
            return times.measured(self.executable, runs)

    def __repr__(self):
        names = ", ".join(f"{name} {n}" if n > 1 else name for name, n in self.operations.most_common(12))
        more = ", ..." if len(self.operations) > 12 else ""
        how = "one compiled program" if self.compiled else "operation by operation"
        lines = [
            f"{_count(self.operations.total(), 'operation')}, run {_count(self.runs, 'time')} as {how}",
            f"  {names}{more}",
            f"  {_count(self.inputs, 'array')} in ({self.reused} overwritten), {self.outputs} out",
        ]
        try:
            kernels, costs = self.kernels, self.costs
        except ValueError as error:
            return "\n".join([*lines, f"  {error}"] if self.compiled else lines)
        listed = ", ".join(f"{name} {n}" for name, n in kernels.most_common())
        lines.append(f"  XLA runs {_count(kernels.total(), 'kernel')}: {listed}")
        lines.append(
            f"  a run: {costs['flops']:,} floating-point operations, {_bytes(costs['bytes'])} read and written, "
            f"{_bytes(costs['temporary_bytes'])} of temporary memory"
        )
        if self.devices > 1:
            sent = ", ".join(
                f"{x.kind} {x.count} of {_bytes(x.bytes)} over {x.devices}" for x in self.collectives
            )
            lines.append(f"  on each of {self.devices} devices, which exchange: {sent or 'nothing'}")
        return "\n".join(lines)


def _count(number, noun):
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _bytes(count):
    for unit in ("bytes", "kB", "MB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} GB"


def programs():
    """The structures that have run and are kept, the one used last first: list of ProgramReport."""
    known = sorted(list(_program.programs), key=lambda program: -program.last_use)
    return [ProgramReport(program) for program in known]


def last_program():
    """The ProgramReport of what ran last, such as a training step; None if nothing has.

    >>> loss.numpy()  # doctest: +SKIP
    >>> print(tfcompat.engine.last_program())  # doctest: +SKIP
    33 operations, run 99 times as one compiled program
      MatMul 3, AddV2 3, Relu 2, ...
      19 arrays in (6 overwritten), 7 out
      XLA runs 14 kernels: fusion 9, dot 5
      a run: 1,234,567 floating-point operations, 1.2 MB read and written, 98.3 kB of temporary memory
    """
    latest = max(list(_program.programs), key=lambda program: program.last_use, default=None)
    return None if latest is None else ProgramReport(latest)
