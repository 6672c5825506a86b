"""Loops and branches of TensorFlow 1 in graphs, as functions.

Such a graph says them by nodes that pass a tensor on or not: `Switch` and `Merge` for branches, and for loops also
`Enter`, `NextIteration` and `Exit`, whose frame is the loop. Each loop, and each `Merge` of a branch, becomes one node
here, which runs `tf.while_loop` or `tf.cond`.
"""

from tfcompat import dtypes
from tfcompat._control import cond
from tfcompat._formats.graphs import AttrValue, ListValue, NodeDef
from tfcompat.raw_ops._registry import OPS

FUNCTIONAL = "_Functional"  # the op of the nodes that are made here; the library has what they run
PLACES = {"output": 0, "value_index": 1}  # of the results of a Merge, as functions refer to them
KINDS = frozenset("Switch Merge Enter Exit NextIteration LoopCond".split())


def kind_of(node):
    """The op of a node, that for references to variables taken for that for values."""
    op = node.op.removeprefix("Ref")
    return op if op in KINDS else node.op


def name_of(source):
    """The node that `node`, `node:number` or `^node` refers to."""
    return source.lstrip("^").partition(":")[0]


def functional(library, node_defs, prepare):
    """The nodes of a graph, with one node for each loop and each result of a branch.

    Args:
      library: Library; what the nodes run is entered into its `functional`.
      node_defs: NodeDefs.
      prepare: function of (node_defs, arguments, wanted) to a function of a list of values, as `prepared_part`.

    Raises:
      ValueError: the nodes are not those of loops and branches.
    """
    nodes = {node.name: node for node in node_defs}
    frames = _frames(nodes)
    for frame in dict.fromkeys(path[0] for path in frames.values() if path):
        members = {name: nodes[name] for name, path in frames.items() if path[:1] == (frame,)}
        own = {name for name in members if frames[name] == (frame,)}
        loop = _Loop(frame, members, own)
        for name in members:
            del nodes[name]
        nodes[loop.name] = NodeDef(name=loop.name, op=FUNCTIONAL, input=loop.inputs, attr=_kinds(loop.kinds))
        library.functional[loop.name] = lambda loop=loop: loop.prepared(prepare)
        for node, number in loop.exits:
            nodes[node.name] = NodeDef(name=node.name, op="Identity", input=[f"{loop.name}:{number}"], attr=node.attr)
    _without_merges(library, nodes, prepare)
    return list(nodes.values())


def _kinds(numbers):
    """The attributes of a node that is made here: the dtypes of its results."""
    return {"Tout": AttrValue(list=ListValue(type=numbers))}


def _frames(nodes):
    """Dict from names of nodes to the names of the frames around them, the outermost first."""
    frames: dict = {}
    users: dict = {}
    for node in nodes.values():
        for source in node.input:
            users.setdefault(name_of(source), []).append(node)
    todo = [(node, ()) for node in nodes.values() if not any(name_of(source) in nodes for source in node.input)]
    while todo:
        node, path = todo.pop()
        if node.name in frames:
            continue
        kind = kind_of(node)
        if kind == "Enter":
            path = (*path, node.attr["frame_name"].s.decode())
        frames[node.name] = path
        after = path[:-1] if kind == "Exit" else path
        todo += [(user, after) for user in users.get(node.name, ())]
    return frames


class _Loop:
    """A loop.

    Attributes:
      name: of the node that stands for it.
      inputs: of this node: the state at the beginning, then what does not change.
      exits: list of (Exit node, number of the part of the state).
      kinds: numbers of the dtypes of the state.
    """

    def __init__(self, frame, members, own):
        self.name = f"{frame}/functional"
        of_kind = {kind: [members[n] for n in own if kind_of(members[n]) == kind] for kind in KINDS}
        if len(of_kind["LoopCond"]) != 1:
            raise ValueError(f"the loop {frame!r} has {len(of_kind['LoopCond'])} conditions")
        (self._condition,) = of_kind["LoopCond"]
        entered = {node.name: node for node in of_kind["Enter"]}
        self._merges, self._next = [], []
        for node in of_kind["Merge"]:
            sources = [members.get(name_of(source)) for source in node.input if not source.startswith("^")]
            again = [each for each in sources if each is not None and kind_of(each) == "NextIteration"]
            if again:
                self._merges.append(node)
                self._next += again
        first = [
            next((entered[name_of(source)] for source in node.input if name_of(source) in entered), None)
            for node in self._merges
        ]
        if None in first or len(self._next) != len(first):
            raise ValueError(f"a state of the loop {frame!r} does not come from outside")
        self._fixed = [node for node in of_kind["Enter"] if node not in first]
        self.inputs = [node.input[0] for node in [*first, *self._fixed]]
        self.kinds = [node.attr["T"].type for node in self._merges]
        number = {node.name: i for i, node in enumerate(self._merges)}
        self._switches = {
            node.name: number[name_of(node.input[0])] for node in of_kind["Switch"]
            if name_of(node.input[1]) == self._condition.name and name_of(node.input[0]) in number
        }  # fmt: skip
        self.exits = [(node, self._switches[name_of(node.input[0])]) for node in of_kind["Exit"]]
        edge = {node.name for kind in ("Enter", "Exit", "NextIteration", "LoopCond") for node in of_kind[kind]}
        edge |= number.keys() | self._switches.keys()
        self._inner = [node for name, node in members.items() if name not in edge]

    def prepared(self, prepare):
        """What the node runs."""
        count = len(self._merges)
        arguments = {node.name: i for i, node in enumerate([*self._merges, *self._fixed])}
        holds = prepare(self._inner, arguments, [self._condition.input[0]])
        turn = prepare(self._inner, arguments | self._switches, [node.input[0] for node in self._next])

        def body(*values):
            return [*turn(list(values)), *values[count:]]

        body.returned_as_taken = frozenset(range(count, len(arguments)))
        return lambda inputs: OPS["While"].run({"input": inputs, "cond": lambda *values: holds(list(values)),
                                                "body": body})[:count]  # fmt: skip


def _without_merges(library, nodes, prepare):
    """Puts a node that chooses in the place of each Merge."""
    merges = [node for node in nodes.values() if kind_of(node) == "Merge"]
    while merges:
        inner = [(node, parts) for node in merges if (parts := _parts(nodes, node)) is not None]
        if not inner:
            raise ValueError(f"the node {merges[0].name!r} is of no branch")
        for node, (predicate, branches) in inner:
            sources = [predicate, *(source for branch in branches for source in branch.inputs)]
            kinds = _kinds([node.attr["T"].type, dtypes.int32.as_datatype_enum])
            nodes[node.name] = NodeDef(name=node.name, op=FUNCTIONAL, input=sources, attr=kinds)
            library.functional[node.name] = lambda branches=branches: _chosen(branches, prepare)
        merges = [node for node in nodes.values() if kind_of(node) == "Merge"]


class _Branch:
    """What is between a Merge and the Switches before it.

    Attributes:
      place: of its result among the inputs of the Merge.
      nodes, arguments, wanted: as `prepare` takes them.
      inputs: what its arguments are outside.
    """

    def __init__(self, place, nodes, arguments, wanted, inputs):
        self.place, self.nodes, self.arguments, self.wanted, self.inputs = place, nodes, arguments, wanted, inputs


def _parts(nodes, merge):
    """(what is tested, [_Branch where it is true, _Branch where it is false]) of a Merge; None if one is within."""
    predicate, branches = None, {}
    for place, source in enumerate(merge.input):
        todo, region, switches, outside, sides = [source], {}, {}, {}, set()
        while todo:
            at = todo.pop()
            name = name_of(at)
            node = nodes.get(name)
            if node is None:
                outside[name] = at
            elif kind_of(node) == "Merge":
                return None
            elif kind_of(node) == "Switch":
                switches[name] = node.input[0]
                predicate = node.input[1]
                if not at.startswith("^"):
                    sides.add(at.partition(":")[2] in ("1", "output_true:0"))
            elif name not in region:
                region[name] = node
                todo += node.input
        if len(sides) != 1:
            raise ValueError(f"the input {source!r} of {merge.name!r} is of no branch")
        entries = switches | {name: at for name, at in outside.items() if not at.startswith("^")}
        order = {name: i for i, name in enumerate([*entries, *(outside.keys() - entries.keys())])}
        branches[sides.pop()] = _Branch(place, list(region.values()), order, source, list(entries.values()))
    if branches.keys() != {True, False}:
        raise ValueError(f"{merge.name!r} has no two branches")
    return predicate, [branches[True], branches[False]]


def _chosen(branches, prepare):
    """What the node in the place of a Merge runs."""
    runs = [prepare(branch.nodes, branch.arguments, [branch.wanted]) for branch in branches]
    count = len(branches[0].inputs)

    def run(inputs):
        predicate, *rest = inputs
        values = rest[:count], rest[count:]

        def of(i):
            return lambda: (*runs[i](values[i]), branches[i].place)

        return list(cond(predicate, of(0), of(1)))

    return run
