"""`tape.explain`: why a gradient is None, in words.

Nothing is noted for it while a tape records: it reads what the tape has, and what is still pending. With debugging on
(`TFCOMPAT_DEBUG=1`, `tfcompat.engine.debug()`) it also knows the lines of the user's program, what was computed outside
of the tape, and what was converted to NumPy.
"""

import functools
from typing import Any

from tfcompat import engine, nest
from tfcompat._core.assignment import COPY
from tfcompat._core.composite import CompositeTensor
from tfcompat._core.name_scope import current_scope
from tfcompat._core.tensor import Tensor, dtype_of, shape_of
from tfcompat._core.variable import _ADD, _SUBTRACT, READ, ResourceVariable, Variable
from tfcompat.engine._policy import REPORTING
from tfcompat.tape import _reverse

history = engine.history
_MORE = "Run with TFCOMPAT_DEBUG=1 (or call tfcompat.engine.debug() first) for the lines of your program."
_ASSIGNMENTS = frozenset({COPY, _ADD, _SUBTRACT})


class Reason:
    """What is found for one source.

    Attributes:
      source: text that names the source.
      connected: whether there is a gradient.
      kind: one of the words in the table of `migration_guide/debugging.md`, such as "never-watched"; "connected".
      text: the explanation.
      place: the line of the user's program, `file:line: text`, or None.
    """

    def __init__(self, source, kind, text, place=None):
        self.source, self.kind, self.text = source, kind, text
        self.connected = kind == "connected"
        self.place = None if place is None else str(place)

    def __repr__(self):
        where = f"\n    at {self.place}" if self.place else ""
        return f"{self.source}: {self.text}{where}"


class Explanation:
    """What `tape.explain` returns: prints as text. `reasons` has one Reason for each source."""

    def __init__(self, reasons):
        self.reasons = reasons

    def __repr__(self):
        lines = "\n".join(map(repr, self.reasons))
        lost = any(not r.connected and r.place is None for r in self.reasons)
        return lines + (f"\n{_MORE}" if lost and not history.enabled else "")


class ExplainsGradients:
    """The part of `GradientTape` that explains."""

    def explain(self, target, sources):
        """Says why the gradient of `target` with respect to each of `sources` is None, or that it is not.

        It computes nothing and uses nothing up: call it before `gradient`, or on a persistent tape. While debugging
        is on (TFCOMPAT_DEBUG=1, `tfcompat.engine.debug()`) it also works afterwards, and names the lines.

        Args:
          target: Tensor or Variable, or a nest of them.
          sources: Tensor or Variable, or a nest of them; other objects are told to be none.

        Returns:
          Explanation, which prints as text; `reasons` lists a Reason with `kind`, `connected`, `text` and `place`
          for each source.

        TF: TensorFlow lacks this.

        >>> x = tf.constant(3.0)
        >>> with tf.GradientTape() as tape:
        ...     y = x * x
        >>> tape.explain(y, x)
        source 0, a float32 tensor of shape (): never watched: ...
        """
        state = _state_of(self)
        return Explanation([
            _explained(self, state, target, source, i) for i, source in enumerate(nest.flatten(sources))
        ])


class _TapeState:
    """What a tape has recorded, or had when it was used up."""

    def __init__(self, records, watched, variables, reads):
        self.records, self.watched, self.variables, self.reads = records, watched, variables, reads
        self.outputs = {node for _, _, outputs in records for node in outputs}


def _state_of(tape):
    if tape._usable:
        return _TapeState(tape._records, tape._watched, tape._variables, tape._reads)
    snapshot = getattr(tape, "_kept", None)
    return None if snapshot is None else _TapeState(*snapshot)


def _explained(tape, state, target, source, number):
    if isinstance(source, CompositeTensor):
        source = source._differentiable_part()
    if not isinstance(source, Tensor | Variable):
        what = f"source {number}, a {type(source).__module__}.{type(source).__name__}".replace("builtins.", "")
        return Reason(what, "no-tensor", "no tensor: `gradient` raises AttributeError for it. Pass the tf.Variable or "
                      "watched tensor itself, not its value.")  # fmt: skip
    name = _named(source, number)
    if state is None:
        text = (
            "the tape is used up (or was never entered) and has forgotten what it recorded. Call `explain` before "
            "`gradient`, or make the tape with persistent=True."
        )
        return Reason(name, "tape-used-up", text)
    targets = [t for t in nest.flatten(target) if t is not None]
    for t in targets:
        if not isinstance(t, Tensor | Variable):
            text = f"the target is a {type(t).__name__}, not a tensor: its computation left TensorFlow."
            return Reason(name, "target-no-tensor", text, _last_look())
    nodes = [t._node if isinstance(t, Tensor) else t._current_node() for t in targets]
    source_node: Any = source._node if isinstance(source, Tensor) else source._current_node()
    if not source_node.aval.inexact:
        text = f"its dtype is {dtype_of(source_node).name}; only floating and complex tensors have gradients."
        return Reason(name, "integer-source", text, _place(source_node))
    inexact = [node for node in nodes if node.aval.inexact]
    if not inexact:
        made = _first_integer(nodes[0])
        how = f", since {_operation(made)} gives integers" if made is not None else ""
        text = f"the target is {dtype_of(nodes[0]).name}{how}; only floating and complex tensors have gradients."
        return Reason(name, "integer-target", text, None if made is None else made.place)
    if any(t is source for t in targets):
        return Reason(name, "connected", "it is the target itself.")
    starts = tape_nodes(state, source)
    if not starts:
        return _not_watched(tape, state, source, source_node, inexact, name)
    return _watched(state, inexact, set(starts), source, name)


def tape_nodes(state, source):
    """The nodes under which a tape knows a source."""
    if isinstance(source, Variable):
        return list(state.reads.get(id(source), ()))
    return [source._node] if source._node in state.watched else []


# --- not watched ----------------------------------------------------------------------------------------------------


def _not_watched(tape, state, source, node, targets, name):
    used = _steps_from([node], targets)
    if isinstance(source, Variable):
        if not tape._watch_accessed_variables:
            text = "never watched: the tape has watch_accessed_variables=False. Call tape.watch(variable) first."
            return Reason(name, "never-watched", text, used[-1].place if used else None)
        if not source.trainable:
            text = "never watched: it was made with trainable=False. Call tape.watch(variable) inside the `with` block."
            return Reason(name, "not-trainable", text, used[-1].place if used else None)
        if used:
            text = (
                f"it was read outside of the tape: {_operation(used[-1])} was called when the tape was not recording. "
                "Move the computation into the `with` block."
            )
            return Reason(name, "outside", text, used[-1].place)
        text = "it was not read while the tape was recording: the target does not use it, or used it before or after."
        return Reason(name, "not-read", text)
    made = _step(node)
    if made.call is not None:
        origin = _variable_behind(state, made)
        by = f"It was computed by {_operation(made)}"
        if origin is not None:
            text = (
                f"this is not a variable but a tensor computed from {origin}: the name was given another value "
                f"(`w = w - ...`). {by}; change the variable with `assign`, `assign_sub` or `assign_add`."
            )
            return Reason(name, "overwritten", text, made.place)
        text = (
            f"never watched: tapes watch variables by themselves, tensors only after tape.watch(tensor). {by}; if it "
            "was meant to be a variable, its name was given another value (`w = w - ...`): use `assign_sub`."
        )
        return Reason(name, "never-watched", text, made.place)
    text = (
        "never watched: tapes watch variables by themselves, tensors only after tape.watch(tensor), called inside the "
        "`with` block before the tensor is used."
    )
    return Reason(name, "never-watched", text, used[-1].place if used else made.place)


def _variable_behind(state, made):
    """The name of the variable that a step was computed from; None if it is not known to be from one."""
    names = {}
    for variable in state.variables.values():
        names[_step(variable._current_node()).key] = f"variable '{variable.name}'"
    seen, queue = {made.key}, [made]
    while queue and len(seen) < 200:
        step = queue.pop(0)
        if step.key in names:
            return names[step.key]
        if step is not made and step.call is not None and step.call.operation is READ:
            return "a variable"
        for each in step.inputs():
            if each.key in _variable_serials:
                return f"variable '{_variable_serials[each.key]}'"
            if each.key not in seen:
                seen.add(each.key)
                queue.append(each)
    return None


# --- watched, but without a path ------------------------------------------------------------------------------------


def _watched(state, targets, starts, source, name):
    records = state.records
    relevant, reached = _reverse.leading(records, starts)
    reached = _forward(records, starts)
    if any(node in reached or node in starts for node in targets):
        return _connected(records, relevant, targets, starts, reached, name)
    cut = _cut_in_function(records, starts, reached, targets)
    if cut is not None:
        return _cut_reason(name, cut[0], _place(cut[1][0]))
    known = {_step(node).key for node in (*reached, *starts)}
    path = _path_to(targets, known)
    if path:
        return _broken_at(path[0], known, starts, source, name)
    looks = [look for look in _looks if look.key in known]
    if looks:
        text = (
            "what was computed from it was converted to NumPy or to a Python number, where the tape cannot follow, and "
            "the target was computed from that. Stay with tensors (tf.* in place of np.*)."
        )
        return Reason(name, "numpy", text, looks[-1].place)
    last = _ends(records, starts, reached)
    if all(node.call is None for node in targets):
        text = "the target is a constant to the tape: its value came from NumPy, Python numbers or tf.constant."
        return Reason(name, "constant-target", text, _place(targets[0]))
    on_tape = any(node in state.outputs for node in targets)
    where = "" if on_tape else (
        " The target itself was not recorded: it was computed outside of the `with` block, or from constants only "
        "(a value that went through .numpy(), float() or NumPy is a constant)."
    )
    text = f"the tape recorded no path from it to the target.{where} {last}"
    return Reason(name, "no-path" if on_tape else "target-not-recorded", text.strip(), _place(targets[0]))


def _forward(records, starts):
    """The nodes that a tape connects to `starts`; unlike `_reverse.leading` it makes no exceptions."""
    reached = set(starts)
    for call, inputs, outputs in records:
        if not reached.isdisjoint(inputs):
            if call.depends is not None:
                outputs = _reverse.connected(call, inputs, outputs, reached)
            reached.update(node for node in outputs if node.aval.inexact)
    return reached


def _connected(records, relevant, targets, starts, reached, name):
    """There is a path; whether a gradient passes along it is found out by walking back, on placeholders."""
    try:
        with engine.Capture() as capture:
            seeds = [(node, capture.placeholder(node.aval)) for node in targets]
            cotangents = _reverse.backward(records, seeds, starts)
    except LookupError as error:
        step = next((e for e in relevant if _blamed(e[0], error)), None)
        place = None if step is None else _place(step[2][0])
        return Reason(name, "no-gradient", f"`gradient` raises LookupError: {error}.", place)
    except Exception as error:  # a gradient function of the user's, on placeholders
        cotangents, failed = {}, error
    else:
        failed = None
    path = _recorded_path(records, targets, starts)
    if cotangents or failed is not None:
        return Reason(name, "connected", f"there is a gradient: {' -> '.join(path)}.")
    custom = [entry for entry in relevant if type(entry[0]) is not engine.Call or _registered(entry[0])]
    if custom:
        place = _place(custom[-1][2][0])
        text = "the custom gradient on the way (tf.custom_gradient, tf.RegisterGradient) returns None for it."
        return Reason(name, "custom-none", text, place)
    text = f"no derivative passes along {' -> '.join(path)}: it is constant in the source (as the gradient of 3*x is)."
    return Reason(name, "constant", text)


def _registered(call):
    return call.operation.name in _reverse.REGISTERED


def _blamed(call, error):
    return type(call) is engine.Call and str(error).endswith(call.operation.name)


def _recorded_path(records, targets, starts) -> list:
    """The names of the operations on a shortest recorded path."""
    maker: dict = {}
    for call, inputs, outputs in records:
        for node in outputs:
            maker[node] = (call, inputs)
    queue: list = [(node, ()) for node in targets]
    seen = set(targets)
    while queue:
        node, path = queue.pop(0)
        if node in starts and path:
            names = [call.operation.name if hasattr(call, "operation") else "custom gradient" for call in path]
            return names if len(names) <= 9 else [*names[:4], f"{len(names) - 8} more", *names[-4:]]
        if node in maker and len(seen) < REPORTING.path_search:
            call, inputs = maker[node]
            for each in inputs:
                if each not in seen:
                    seen.add(each)
                    queue.append((each, (call, *path)))
    return ["the target itself"]


def _cut_in_function(records, starts, reached, targets):
    """The record of a composed operation on the way that connects the source to none of its results that matter."""
    needed = _backward_nodes(records, targets)
    for call, inputs, outputs in records:
        if call.depends is not None and not reached.isdisjoint(inputs) and needed.intersection(outputs):
            if not reached.intersection(outputs):
                return call, outputs
    return None


def _cut_reason(name, call, place):
    """The Reason for a path that ends inside of a composed operation: a function, or a backward pass."""
    if call.operation.name.endswith(("Grad", "Gradient", "Backward", "Jacobian")):
        text = "no derivative passes: the gradient that was taken here is constant in the source (as that of 3*x is)."
        return Reason(name, "constant", text, place)
    inside = _inner_cuts(call)
    hint = f" It has {' and '.join(inside)} inside." if inside else ""
    text = (
        f"the path ends inside of {call.operation.name}, a function recorded as one operation: none of its results "
        f"that lead to the target depends on it through operations with a gradient.{hint}"
    )
    return Reason(name, "cut-in-function", text, place)


def _inner_cuts(call):
    """The operations in a captured function that end paths."""
    program = getattr(call.operation.fn, "__self__", None)
    steps = getattr(program, "steps", ())
    return sorted({step.operation.name for step, _ in steps if not step.differentiable})[:4]


def _backward_nodes(records, targets):
    needed = set(targets)
    for _, inputs, outputs in reversed(records):
        if needed.intersection(outputs):
            needed.update(inputs)
    return needed


def _broken_at(step, known, starts, source, name):
    """The path leaves the tape at `step`, whose input is connected to the source."""
    call = step.call
    if call.operation.name == "StopGradient":
        return Reason(name, "stopped", "the path is stopped by tf.stop_gradient.", step.place)
    if not call.differentiable:
        if not _inexact(step.aval):
            kind, what = "integer", "gives integers or booleans, which have no gradient"
        else:
            kind, what = "no-gradient-op", "has no gradient"
        return Reason(name, kind, f"the path ends at {_operation(step)}, which {what}.", step.place)
    if call.operation in _ASSIGNMENTS:
        text = (
            "the path ends where a value computed from it is assigned to a variable: `assign` cuts it, and what is "
            "read from the variable afterwards depends on the variable only. Use the tensor itself."
        )
        return Reason(name, "assigned", text, step.place)
    depends = getattr(call, "depends", None)
    if depends is not None:
        connected_inputs = {i for i, each in enumerate(step.inputs()) if each.key in known}
        if not any(connected_inputs & needs for needs in depends):
            return _cut_reason(name, call, step.place)
    when = _when(step, starts, source)
    return Reason(name, *when, step.place)


def _when(step, starts, source):
    """(kind, text) for an operation that should have been recorded and was not."""
    watch = getattr(source, "_node", None)
    serials = _watch_serials.get(id(watch)) if watch is not None else None
    if serials is not None and step.serial is not None and step.serial < serials:
        return "watched-late", f"watched too late: {_operation(step)} was called before tape.watch(tensor)."
    start_keys = {_step(node).key for node in starts}
    takes_source = isinstance(source, Tensor) and any(each.key in start_keys for each in step.inputs())
    late = " before tape.watch(tensor)," if takes_source and serials is None else ""
    text = (
        f"{_operation(step)} was called when the tape was not recording:{late} before or after its `with` block, or "
        "in tape.stop_recording()."
    )
    return "outside", text


def _ends(records, starts, reached):
    """Where the recorded paths from the source end."""
    used = set()
    for _, inputs, _ in records:
        used.update(inputs)
    ends = [node for node in reached if node not in used and node not in starts]
    if not ends:
        return "Nothing recorded uses it." if not any(node in used for node in starts) else ""
    names = sorted({node.call.operation.name for node in ends if node.call is not None})
    return f"What was computed from it ends with {', '.join(names[:4])}, which nothing recorded uses."


# --- steps: nodes, or what is remembered of them --------------------------------------------------------------------


class _Step:
    """One operation or leaf on the way, seen through its node or through the history."""

    __slots__ = ("call", "aval", "node", "entry")

    def __init__(self, node, entry):
        self.node, self.entry = node, entry
        self.call, self.aval = (entry or node).call, (entry or node).aval

    @property
    def key(self):
        """What equal steps share."""
        return id(self.node) if self.entry is None else self.entry.serial

    @property
    def place(self):
        return None if self.entry is None else self.entry.place

    @property
    def serial(self):
        return None if self.entry is None else self.entry.serial

    def inputs(self):
        """The steps that it is computed from, as far as they are known."""
        if self.entry is not None:
            entries = [history.entry(serial) for serial in self.entry.inputs]
            return [_Step(None, entry) for entry in entries if entry is not None]
        return [_step(node) for node in self.node.inputs]


def _step(node):
    return _Step(node, history.entry_of(node) if history.enabled else None)


def _place(node):
    return _step(node).place


def _operation(step):
    return f"`{step.call.operation.name}`" if step.call is not None else "a constant"


def _inexact(aval):
    return aval.inexact or any(part.inexact for part in getattr(aval, "parts", ()))


def _path_to(targets, known):
    """The steps from one with an input among `known` (keys) to a target; [] if there are none."""
    queue: list = [(_step(node), ()) for node in targets]
    seen = {step.key for step, _ in queue}
    while queue and len(seen) < REPORTING.path_search:
        step, path = queue.pop(0)
        for each in step.inputs():
            if each.key in known:
                return [step, *path]
            if each.key not in seen:
                seen.add(each.key)
                queue.append((each, (step, *path)))
    return []


def _steps_from(nodes, targets):
    """The steps from `nodes` to a target, whether recorded or not, the first one last."""
    return _path_to(targets, {_step(node).key for node in nodes})[::-1]


def _first_integer(node):
    """The operation that made integers of floating values, on the way to an integer node."""
    queue, seen = [_step(node)], set()
    while queue and len(seen) < REPORTING.path_search:
        step = queue.pop(0)
        inputs = step.inputs()
        if step.call is not None and any(_inexact(each.aval) for each in inputs):
            return step
        for each in inputs:
            if each.key not in seen:
                seen.add(each.key)
                queue.append(each)
    step = _step(node)
    return step if step.call is not None else None


def _named(source, number):
    if isinstance(source, Variable):
        return f"variable '{source.name}'"
    return f"source {number}, a {dtype_of(source._node).name} tensor of shape {shape_of(source._node)}"


# --- what is noted while debugging is on ----------------------------------------------------------------------------


class _Look:
    """A tensor's value was looked at."""

    __slots__ = ("key", "place")

    def __init__(self, key, place):
        self.key, self.place = key, place


_looks: list = []
_variable_serials: dict = {}   # serial of a variable's value -> its name
_watch_serials: dict = {}      # address of a watched node -> serial at the time
_originals: dict = {}


def _last_look():
    return _looks[-1].place if _looks else None


def _note_look(original):
    @functools.wraps(original)
    def looked(self):
        place = history.place()
        entry = history.entry_of(self._node)
        if entry is not None and place is not None:
            _looks.append(_Look(entry.serial, place))
            del _looks[:-10_000]
        return original(self)

    return looked


def _note_variable(original):
    @functools.wraps(original)
    def was_read(self, node):
        original(self, node)
        _variable_serials[history._serial_of(node, history.place())] = self.name
        if len(_variable_serials) > 10_000:
            del _variable_serials[next(iter(_variable_serials))]

    return was_read


def _note_watch(original):
    @functools.wraps(original)
    def watch(self, tensor):
        original(self, tensor)
        for x in nest.flatten(tensor, expand_composites=True):
            if isinstance(x, Tensor):
                _watch_serials.setdefault(id(x._node), history.now())

    return watch


def _keep_records(original):
    @functools.wraps(original)
    def end_use(self):
        if not self._persistent:
            self._kept = (self._records, self._watched, self._variables, self._reads)
        original(self)

    return end_use


_ADVICE = {
    "Tensor._value": (Tensor, "_value", _note_look),
    "Variable._was_read": (ResourceVariable, "_was_read", _note_variable),
}


def prepare(tape_class):
    """Has debugging take notes of tapes of `tape_class`, of reads of variables and of values looked at."""
    advice = dict(_ADVICE)
    advice["watch"] = (tape_class, "watch", _note_watch)
    advice["end_use"] = (tape_class, "_end_use", _keep_records)

    def switch(enabled):
        history.scope = current_scope
        for key, (cls, name, advise) in advice.items():
            if enabled and key not in _originals:
                _originals[key] = (cls, name, cls.__dict__.get(name))
                setattr(cls, name, advise(getattr(cls, name)))
            elif not enabled and key in _originals:
                cls, name, original = _originals.pop(key)
                if original is None:
                    delattr(cls, name)
                else:
                    setattr(cls, name, original)
        for notes in (_looks, _variable_serials, _watch_serials):
            notes.clear()

    history.when_switched(switch)
