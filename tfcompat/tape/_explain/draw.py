"""`tape.draw`: a picture of what a tape has recorded."""

import collections
import math
import pathlib

from tfcompat import engine, nest
from tfcompat._core.convert import to_node
from tfcompat.engine._policy import REPORTING
from tfcompat.tape._explain import layout as _layout
from tfcompat.tape._explain.gradient import _place, _state_of, history


class Drawing:
    """A picture in SVG, which notebooks show by itself.

    Attributes:
      svg: str.
      operations, boxes: how many operations were recorded, and in how many boxes they are shown.
    """

    def __init__(self, svg, operations, boxes):
        self.svg, self.operations, self.boxes = svg, operations, boxes

    def _repr_svg_(self):
        return self.svg

    def save(self, path):
        """Writes the picture to a file; returns its pathlib.Path."""
        path = pathlib.Path(path)
        path.write_text(self.svg, encoding="utf-8")
        return path

    def __repr__(self):
        text = f"Drawing of {self.operations} operations in {self.boxes} boxes; save(path) writes it as SVG"
        if self.boxes < self.operations and not history.enabled:
            text += "; recorded with TFCOMPAT_DEBUG=1 they are folded by name scope and layer"
        return f"<{text}>"


class Draws:
    """The part of `GradientTape` that draws."""

    def draw(self, target=None, max_boxes=REPORTING.boxes):
        """A picture of what was recorded: variables and watched tensors, operations, and what flows where.

        Args:
          target: Tensor or a nest of them; only what they are computed from is drawn. By default everything.
          max_boxes: of operations; above this, those that follow one another are folded into one box, by name scope and
            layer if debugging was on (TFCOMPAT_DEBUG=1), in chains and equal parts otherwise.

        Returns:
          Drawing, which a notebook shows; `save("tape.svg")` writes it.

        Raises:
          RuntimeError: the tape is used up (draw before `gradient`, or make it persistent) or was never entered.

        TF: TensorFlow lacks this.
        """
        state = _state_of(self)
        if state is None:
            raise RuntimeError(
                "GradientTape.draw: the tape is used up, or was never entered. Draw before `gradient`, or make it with "
                "persistent=True."
            )
        records = state.records
        targets = set() if target is None else {to_node(t) for t in nest.flatten(target)}
        if target is not None:
            records = _needed(records, targets)
        groups = _folded(records, max_boxes)
        boxes, arrows = _boxes(state, records, groups, targets)
        return Drawing(_layout.svg(boxes, arrows), len(records), len(boxes))


def _needed(records, targets):
    needed, entries = set(targets), []
    for entry in reversed(records):
        if not needed.isdisjoint(entry[2]):
            entries.append(entry)
            needed.update(entry[1])
    return entries[::-1]


# --- folding: runs of records that follow one another, so that arrows still go forward ------------------------------


def _folded(records, max_boxes):
    """The records as a list of (name or None, list of indices)."""
    groups = [(None, [i]) for i in range(len(records))]
    if len(groups) <= max_boxes:
        return groups
    scopes = [_scope(entry) for entry in records]
    if any(scopes):
        depth = 1 + max(scope.count("/") for scope in scopes)
        while depth > 0 and len(groups) > max_boxes:
            groups = _runs(["/".join(scope.split("/")[:depth]) for scope in scopes])
            depth -= 1
    length = 2
    while len(groups) > max_boxes and length <= 8:
        groups = _chains(records, groups, length)
        length *= 2
    if len(groups) > max_boxes:
        turn = engine.period([call for call, _, _ in records])
        if turn and len(records) / turn <= max_boxes and len(groups) == len(records):
            size = turn
        else:
            size = math.ceil(len(groups) / max_boxes)
        parts = [groups[i : i + size] for i in range(0, len(groups), size)]
        groups = [(None, [i for _, inner in part for i in inner]) for part in parts]
    return groups


def _scope(entry):
    known = history.entry_of(entry[2][0]) if history.enabled and entry[2] else None
    return (known.scope if known is not None else "").rstrip("/")


def _runs(names):
    """Neighbours of one name together; those without a name stay alone."""
    groups: list = []
    for i, name in enumerate(names):
        if name and groups and groups[-1][0] == name:
            groups[-1][1].append(i)
        else:
            groups.append((name or None, [i]))
    return groups


def _chains(records, groups, length):
    """Groups of which each uses only what the one before it gives, to nobody else, together, up to a length."""
    users = collections.Counter(node for _, inputs, _ in records for node in set(inputs))
    made = {node for _, _, outputs in records for node in outputs}
    result: list = []
    for name, inner in groups:
        inputs = {node for i in inner for node in records[i][1]} & made
        previous_outputs = {node for i in result[-1][1] for node in records[i][2]} if result else set()
        follows = inputs and inputs <= previous_outputs | {n for i in inner for n in records[i][2]} and name is None
        fits = result and result[-1][0] is None and len(result[-1][1]) + len(inner) <= length
        if follows and fits and all(users[node] == 1 for node in inputs & previous_outputs):
            result[-1][1].extend(inner)
        else:
            result.append((name, list(inner)))
    return result


# --- boxes ----------------------------------------------------------------------------------------------------------


def _boxes(state, records, groups, targets):
    """(list of Box, set of arrows): sources first, then groups in their order."""
    boxes, arrows, maker = [], set(), {}
    made = {node for _, _, outputs in records for node in outputs}
    used = dict.fromkeys(node for _, inputs, _ in records for node in inputs)
    names = {node: v.name for v in state.variables.values() for node in state.reads.get(id(v), ())}
    users: dict = {}
    for k, (_, inner) in enumerate(groups):
        for node in dict.fromkeys(node for i in inner for node in records[i][1]):
            users.setdefault(node, []).append(k)
    sources: dict = {}
    for node in dict.fromkeys([*used, *targets]):
        if node in state.watched and node not in made:
            # Where groups are folded, what goes into the same ones is one box, too.
            key = (node in names, *users.get(node, ())) if len(groups) < len(records) else node
            sources.setdefault(key, []).append(node)
    for nodes in sources.values():
        kind = "variable" if nodes[0] in names else "tensor"
        maker.update(dict.fromkeys(nodes, len(boxes)))
        lines = [f"{names.get(node, 'tensor')} {node.aval}" for node in nodes]
        name = _short(names.get(nodes[0], "tensor"))
        first = name if len(nodes) == 1 else f"{len(nodes)} {kind}s"
        second = repr(nodes[0].aval) if len(nodes) == 1 else f"{name}, ..."
        boxes.append(_layout.Box([first, second], kind, "watched:\n" + "\n".join(lines[:30])))
    shared = {node: _short(names.get(node, "tensor")) for node in maker if len(users.get(node, ())) > REPORTING.arrows}
    for k, (name, inner) in enumerate(groups):
        outputs = [node for i in inner for node in records[i][2]]
        taken = dict.fromkeys(node for i in inner for node in records[i][1] if node in maker)
        # A source of many is named where it is used, with an arrow to its first use only.
        also = [shared[node] for node in taken if node in shared and users[node][0] != k]
        arrows.update((maker[node], len(boxes)) for node in taken if node not in shared or users[node][0] == k)
        boxes.append(_group_box(records, name, inner, also, not targets.isdisjoint(outputs)))
        maker.update(dict.fromkeys(outputs, len(boxes) - 1))
    return boxes, arrows


def _short(name, length=32):
    """The end of a long name, from a slash on; tooltips have all of it."""
    parts = name.split("/")
    while len(parts) > 2 and len("/".join(parts)) > length:
        del parts[0]
    return name if len(parts) == name.count("/") + 1 else ".../" + "/".join(parts)


def _group_box(records, name, inner, also, is_target):
    kind = "target" if is_target else "folded" if len(inner) > 1 else "operation"
    last = records[inner[-1]]
    shapes = ", ".join(map(repr, [node.aval for node in last[2]][:2])) + (", ..." if len(last[2]) > 2 else "")
    if len(inner) == 1:
        label = [_named(last[0]), shapes]
    else:
        counts = collections.Counter(_named(records[i][0]) for i in inner)
        most = ", ".join(f"{op} {n}" if n > 1 else op for op, n in counts.most_common(3))
        label = [name or most, f"{len(inner)} operations", shapes]
    if also:
        label.insert(-1, f"with {also[0]}" + (f" and {len(also) - 1} more" if len(also) > 1 else ""))
    lines = [f"{_named(records[i][0])} -> {', '.join(repr(n.aval) for n in records[i][2])}" for i in inner[:30]]
    where = _place(last[2][0]) if last[2] else None
    if where is not None:
        lines.append(str(where))
    return _layout.Box(label, kind, "\n".join(lines))


def _named(call):
    return call.operation.name if type(call) is engine.Call else "custom gradient"
