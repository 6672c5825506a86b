"""What kernels require of their inputs before they compute, where nothing else here would notice.

In the table `rank n` is followed by inputs of that rank, `alike` by inputs of one shape, `count` by inputs with equally
many elements, `without` by an input and the dtypes for which there is no kernel.
"""

from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.in_graphs import as_in_graph, without_kernel
from tfcompat.errors import InvalidArgumentError

_ROWS = """
    ApproximateEqual | alike x y | without x complex64 complex128
    EluGrad | alike gradients outputs
    FusedBatchNormV2 | rank 1 mean variance
    GRUBlockCell | rank 2 x h_prev w_ru w_c | rank 1 b_ru b_c
    GRUBlockCellGrad | rank 2 x h_prev w_ru w_c | rank 1 b_ru b_c
    LSTMBlockCellGrad | rank 2 h_prev | rank 1 b | alike h_prev cs_prev
    IsotonicRegression | without input int32 float64
    LeakyReluGrad | alike gradients features
    ListDiff | rank 1 x y | without x bool complex64 complex128
    LowerBound | rank 2 sorted_inputs values
    MatMul | rank 2 a b
    MirrorPadGrad | without input bool
    ReciprocalGrad | count y dy
    Relu6Grad | alike gradients features
    ReluGrad | alike gradients features
    RsqrtGrad | count y dy
    SeluGrad | alike gradients outputs
    SigmoidGrad | count y dy
    Snapshot | without input string
    SoftmaxCrossEntropyWithLogits | rank 2 features labels
    SoftplusGrad | alike gradients features
    SoftsignGrad | alike gradients features
    SparseSegmentMeanGrad | rank 1 indices segment_ids
    SparseSegmentMeanGradV2 | rank 1 indices segment_ids
    SparseSegmentSqrtNGrad | rank 1 indices segment_ids
    SparseSegmentSqrtNGradV2 | rank 1 indices segment_ids
    SparseSegmentSumGrad | rank 1 indices segment_ids
    SparseSegmentSumGradV2 | rank 1 indices segment_ids
    SqrtGrad | count y dy
    SparseAddGrad | without backprop_val_grad uint8
    TanhGrad | count y dy
    UpperBound | rank 2 sorted_inputs values
"""


def _rules(row):
    name, *rules = row.split("|")
    found = []
    for rule in rules:
        kind, *names = rule.split()
        found.append((int(names.pop(0)) if kind == "rank" else kind, names))
    return name.strip(), found


_RULES = dict(map(_rules, _ROWS.strip().splitlines()))


def of(name):
    """What is required for an op: list of (rank, "alike", "count" or "without"; names)."""
    return _RULES.get(name, ())


def check(name, rules, arguments):
    """Raises what TensorFlow raises for inputs of an op whose shapes do not fit."""
    for rule, names in rules:
        if rule == "without":
            dtype = convert_to_tensor(arguments[names[0]]).dtype.name
            if dtype in names[1:]:
                raise without_kernel(name, dtype)
            continue
        shapes = [convert_to_tensor(arguments[each]).shape for each in names]
        if rule == "alike":
            fit = shapes[0].is_compatible_with(shapes[1])
        elif rule == "count":
            counts = {shape.num_elements() for shape in shapes} - {None}
            fit = len(counts) < 2
        else:
            fit = all(shape.rank in (rule, None) for shape in shapes)
        if not fit:
            required = f"of rank {rule}" if isinstance(rule, int) else "of one shape"
            given = ", ".join(f"{each} of shape {shape}" for each, shape in zip(names, shapes, strict=True))
            message = f"inputs must be {required}, got {given} [Op:{name}]"
            raise as_in_graph(ValueError, InvalidArgumentError(None, None, message))
