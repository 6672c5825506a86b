"""Names of what is computed in a function that is traced, as TensorFlow gives them; made when one is asked for.

A name is that of the op, after the scope in which it was called; one that is taken gets a number.
"""

import bisect

# TF's default names of ops that are not called as their kernels. Arithmetic is named as the operators name it.
_DEFAULT_NAMES = {
    "AddV2": "add", "BatchMatMulV2": "MatMul", "Concat": "concat", "ConcatV2": "concat", "Einsum": "einsum/Einsum",
    "FloorDiv": "floordiv", "FloorMod": "mod", "MatrixDiagPartV3": "diag_part", "MatrixDiagV3": "diag", "Mul": "mul",
    "OneHot": "one_hot", "Pack": "stack", "PadV2": "Pad", "Pow": "pow", "RandomStandardNormal": "random_normal",
    "RandomUniform": "random_uniform", "Range": "range", "RealDiv": "truediv", "Split": "split", "SplitV": "split",
    "StridedSlice": "strided_slice", "Sub": "sub", "Transpose": "transpose", "Unpack": "unstack",
    "ZerosLike": "zeros_like",
}  # fmt: skip


class _Names:
    """The names in a graph: by the `id` of a node, as long as the graph lives."""

    def __init__(self, taken):
        self.by_id, self.counts, self.seen = {}, {}, 0
        for name in taken:
            self.unique(name)

    def unique(self, name):
        """The name, with a number if it is taken. Names that differ in the case of letters are the same."""
        key = name.lower()
        count = self.counts.get(key, 0)
        self.counts[key] = count + 1
        return f"{name}_{count}" if count else name

    def extend(self, graph):
        """Names the nodes that the graph has got since the last time."""
        begins = [place for place, _ in graph.scopes]
        for place in range(self.seen, len(graph.nodes)):
            node = graph.nodes[place]
            if hasattr(node.call, "index"):
                continue
            last = bisect.bisect_right(begins, place)
            scope = graph.scopes[last - 1][1] if last else ""
            name = node.call.operation.name or "PartitionedCall"
            self.by_id[id(node)] = self.unique(scope + _DEFAULT_NAMES.get(name, name))
        self.seen = len(graph.nodes)


def tensor_name(node):
    """The name of a tensor in a function that is traced."""
    graph, arguments = node.graph, getattr(node.graph.owner, "names", None) or {}
    if node.call is None:
        return f"{arguments.get(node, 'Placeholder')}:0"
    place = getattr(node.call, "index", None)  # of one of several results
    source = node if place is None else node.inputs[0]
    if graph.names is None:
        graph.names = _Names(arguments.values())
    if id(source) not in graph.names.by_id:
        graph.names.extend(graph)
    return f"{graph.names.by_id.get(id(source), 'Identity')}:{place or 0}"
