"""Raw ops with state, or whose arguments are handles: steps of optimizers, generators, stacks, sparse matrices."""

import inspect

from rows import raised, row, row_for

_STATES = {"var": 1.0, "accum": 0.5, "accum_update": 0.3, "linear": 0.2, "m": 0.1, "v": 0.4, "vhat": 0.45, "ms": 0.6,
           "mg": 0.1, "mom": 0.2, "gradient_accumulator": 0.1, "gradient_squared_accumulator": 0.3}  # fmt: skip
_NUMBERS = {"lr": 0.1, "alpha": 0.2, "l1": 0.05, "l2": 0.1, "l2_shrinkage": 0.1, "lr_power": -0.5, "rho": 0.9,
            "epsilon": 1e-3, "momentum": 0.8, "beta1_power": 0.9, "beta2_power": 0.99, "beta1": 0.9, "beta2": 0.99,
            "beta": 0.9, "logbase": 1.1, "sign_decay": 0.7}  # fmt: skip
_DENSE = "AdaMax Adadelta Adagrad AdagradDA AdagradV2 Adam AdamWithAmsgrad AddSign CenteredRMSProp Ftrl FtrlV2 " \
    "GradientDescent KerasMomentum Momentum PowerSign ProximalAdagrad ProximalGradientDescent RMSProp"  # fmt: skip
_SPARSE = "Adadelta Adagrad AdagradDA AdagradV2 CenteredRMSProp Ftrl FtrlV2 KerasMomentum Momentum ProximalAdagrad " \
    "ProximalGradientDescent RMSProp"  # fmt: skip


def _stepped(tf, np, op, indices=None, **flags):
    """The variables of an op after two steps."""
    function = getattr(tf.raw_ops, op)
    parameters = inspect.signature(function).parameters
    start = np.float32([[1, -1, 0.5], [0.02, 2, -0.3]])
    variables = {}
    for name, scale in _STATES.items():
        if name in parameters:
            positive = name in ("var", "linear", "m", "mom", "mg", "gradient_accumulator")
            variables[name] = tf.Variable(scale * (start if positive else np.abs(start) + 1))
    arguments = {name: value for name, value in _NUMBERS.items() if name in parameters} | flags
    arguments |= {name: variable.handle for name, variable in variables.items()}
    if "global_step" in parameters:
        arguments["global_step"] = tf.constant(3, tf.int64)
    grad = np.float32([[0.3, -0.2, 0.01], [1, 0.5, -2]])
    if indices is not None:
        arguments["indices"], grad = tf.constant(indices), grad[np.arange(len(indices)) % 2]
    arguments["delta" if "delta" in parameters else "grad"] = tf.constant(grad)
    for _ in range(2):
        function(**arguments)
    return variables


@row_for(op=_DENSE.split())
def a_step(tf, np, op):
    return _stepped(tf, np, f"ResourceApply{op}")


@row_for(op=_SPARSE.split())
def a_step_of_rows(tf, np, op):
    return _stepped(tf, np, f"ResourceSparseApply{op}", [1])


@row
def a_step_of_rows_that_repeat(tf, np):
    return [_stepped(tf, np, f"ResourceSparseApply{op}", [1, 0, 1, 1]) for op in ("Momentum", "Adagrad", "FtrlV2")]


@row
def a_step_with_other_flags(tf, np):
    return [
        _stepped(tf, np, "ResourceApplyMomentum", use_nesterov=True),
        _stepped(tf, np, "ResourceApplyKerasMomentum", use_nesterov=True),
        _stepped(tf, np, "ResourceSparseApplyMomentum", [1], use_nesterov=True),
        _stepped(tf, np, "ResourceApplyAdam", use_nesterov=True),
        _stepped(tf, np, "ResourceApplyAdagrad", update_slots=False),
        _stepped(tf, np, "ResourceSparseApplyAdagradV2", [1], update_slots=False),
        _stepped(tf, np, "ResourceApplyFtrl", multiply_linear_by_lr=True),
        _stepped(tf, np, "ResourceSparseApplyFtrlV2", [0], multiply_linear_by_lr=True),
    ]


@row
def steps_in_a_function(tf):
    v, a = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), tf.Variable([[1.0, 1.0]] * 3)

    @tf.function
    def step(indices, grad):
        tf.raw_ops.ResourceSparseApplyAdagrad(var=v.handle, accum=a.handle, lr=0.1, grad=grad, indices=indices)
        tf.raw_ops.ResourceApplyMomentum(var=v.handle, accum=a.handle, lr=0.1, grad=tf.ones([3, 2]), momentum=0.9)
        tf.raw_ops.ResourceScatterAdd(resource=v.handle, indices=indices, updates=grad)

    for _ in range(2):
        step(tf.constant([0, 2]), tf.constant([[0.5, 1.0], [2.0, -1.0]]))
    return v, a


@row
def steps_with_arguments_that_do_not_fit(tf):
    v, a = tf.Variable([1.0, 2.0]), tf.Variable([1.0, 2.0])
    return [
        raised(lambda: tf.raw_ops.ResourceApplyMomentum(var=v.handle, accum=a.handle, lr=0.1, grad=[1.0], momentum=0.1),
               "var and grad do not have the same shape"),
        raised(lambda: tf.raw_ops.ResourceSparseApplyAdagrad(var=v.handle, accum=a.handle, lr=0.1, grad=[1.0],
                                                             indices=[[0]])),
        raised(lambda: tf.raw_ops.ApplyGradientDescent(var=v, alpha=0.1, delta=[1.0, 1.0]),
               "op does not support eager execution", "is a ref"),
        raised(lambda: tf.raw_ops.ScatterAdd(ref=v, indices=[0], updates=[1.0]), "is a ref"),
        raised(lambda: tf.raw_ops.BatchCholesky(input=[[1.0]]), "has been removed in version 13"),
        raised(lambda: tf.raw_ops.ResourceCountUpTo(resource=tf.Variable(3).handle, limit=3, T=tf.int32)),
    ]  # fmt: skip


@row_for(op=["Add", "Sub", "Mul", "Div", "Update", "Max", "Min"])
def rows_of_a_variable_change(tf, op):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    getattr(tf.raw_ops, f"ResourceScatter{op}")(resource=v.handle, indices=[2, 0], updates=[[2.0, 9.0], [4.0, 1.0]])
    return v


@row
def generators_draw(tf):
    state = tf.random.Generator.from_seed(7).state
    draws = [
        tf.raw_ops.StatefulStandardNormalV2(resource=state.handle, algorithm=1, shape=[3]),
        tf.raw_ops.StatefulTruncatedNormal(resource=state.handle, algorithm=1, shape=[2]),
        tf.raw_ops.StatefulUniform(resource=state.handle, algorithm=1, shape=[2], dtype=tf.float64),
        tf.raw_ops.StatefulUniformFullInt(resource=state.handle, algorithm=1, shape=[2]),
        tf.raw_ops.StatefulUniformInt(resource=state.handle, algorithm=1, shape=[4], minval=3, maxval=9),
        tf.raw_ops.StatefulRandomBinomial(resource=state.handle, algorithm=1, shape=[3, 1], counts=[5.0], probs=[0.4]),
        tf.raw_ops.RngReadAndSkip(resource=state.handle, alg=1, delta=tf.constant(3, tf.uint64)),
    ]
    tf.raw_ops.RngSkip(resource=state.handle, algorithm=1, delta=2)
    return draws, state, raised(
        lambda: tf.raw_ops.StatefulStandardNormalV2(resource=state.handle, algorithm=7, shape=[3])
    )


@row
def a_stack(tf):
    stack = tf.raw_ops.StackV2(max_size=2, elem_type=tf.float32)
    pushed = [tf.raw_ops.StackPushV2(handle=stack, elem=x) for x in ([1.0, 2.0], 3.0)]
    return [
        pushed,
        raised(lambda: tf.raw_ops.StackPushV2(handle=stack, elem=3.0), "overflowed its max_size"),
        [tf.raw_ops.StackPopV2(handle=stack, elem_type=tf.float32) for _ in range(2)],
        raised(lambda: tf.raw_ops.StackPopV2(handle=stack, elem_type=tf.float32), "is empty when calling Pop()"),
        tf.raw_ops.StackCloseV2(handle=stack),
    ]


@row
def an_array(tf, np):
    handle, flow = tf.raw_ops.TensorArrayV3(size=4, dtype=tf.float32)
    rows = tf.Variable([[5.0, 6.0], [7.0, 8.0]])
    tf.raw_ops.TensorArrayWriteV3(handle=handle, index=1, value=[1.0, 2.0], flow_in=flow)
    tf.raw_ops.TensorArrayScatterV3(handle=handle, indices=[0, 3], value=rows, flow_in=flow)
    tf.raw_ops.TensorArrayWriteV3(handle=handle, index=2, value=[9.0, 2.0], flow_in=flow)
    results = [
        tf.raw_ops.TensorArraySizeV3(handle=handle, flow_in=flow),
        tf.raw_ops.TensorArrayGatherV3(handle=handle, indices=[3, 1], dtype=tf.float32, flow_in=flow),
        tf.raw_ops.TensorArrayReadV3(handle=handle, index=0, dtype=tf.float32, flow_in=flow),
    ]
    other, flow = tf.raw_ops.TensorArrayV3(size=2, dtype=tf.float32)
    tf.raw_ops.TensorArraySplitV3(handle=other, value=[1.0, 2.0, 3.0], lengths=tf.constant([1, 2], tf.int64),
                                  flow_in=flow)  # fmt: skip
    return results, list(tf.raw_ops.TensorArrayConcatV3(handle=other, dtype=tf.float32, flow_in=flow))


@row
def a_map(tf):
    r = tf.raw_ops
    one = r.TensorMapInsert(input_handle=r.EmptyTensorMap(), key=1.0, value=[2.0, 3.0])
    two = r.TensorMapInsert(input_handle=one, key=4.0, value=[5.0, 6.0])
    less = r.TensorMapErase(input_handle=two, key=1.0, value_dtype=tf.float32)
    return [
        [r.TensorMapSize(input_handle=x) for x in (one, two, less)],
        r.TensorMapLookup(input_handle=two, key=4.0, value_dtype=tf.float32),
        [r.TensorMapHasKey(input_handle=x, key=1.0) for x in (two, less)],
        r.TensorMapStackKeys(input_handle=less, key_dtype=tf.float32),
        raised(lambda: r.TensorMapLookup(input_handle=less, key=1.0, value_dtype=tf.float32), "Trying to lookup"),
        raised(lambda: r.TensorMapErase(input_handle=less, key=1.0, value_dtype=tf.float32), "Trying to erase"),
    ]


@row
def an_optional_value(tf):
    r = tf.raw_ops
    there, none = r.OptionalFromValue(components=[1.0, tf.constant([2, 3])]), r.OptionalNone()
    types = {"output_types": [tf.float32, tf.int32], "output_shapes": [[], [2]]}
    return [
        [r.OptionalHasValue(optional=x) for x in (there, none)], r.OptionalGetValue(optional=there, **types),
        raised(lambda: r.OptionalGetValue(optional=none, **types), "does not have a value"),
    ]  # fmt: skip


@row
def a_store_of_sparse_tensors(tf):
    r, name = tf.raw_ops, {"shared_name": "rows_raw_ops"}
    parts = {"sparse_indices": [[0, 1], [1, 0], [1, 2]], "sparse_values": [1.0, 2.0, 3.0], "sparse_shape": [2, 3]}
    one = r.AddSparseToTensorsMap(**parts, **name)
    taken = r.TakeManySparseFromTensorsMap(sparse_handles=[one], dtype=tf.float32, **name)
    rows = r.AddManySparseToTensorsMap(**parts, **name)
    return [
        list(taken), list(r.TakeManySparseFromTensorsMap(sparse_handles=rows, dtype=tf.float32, **name)),
        raised(lambda: r.TakeManySparseFromTensorsMap(sparse_handles=[one], dtype=tf.float32, **name)),
    ]  # fmt: skip


@row
def derivatives_of_sparse_matrices(tf):
    r = tf.raw_ops
    values, dense = tf.constant([1.0, 2.0, 3.0]), tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([values, dense])
        a = r.SparseTensorToCSRSparseMatrix(indices=[[0, 1], [1, 0], [1, 2]], values=values, dense_shape=[2, 3])
        results = [
            r.CSRSparseMatrixToDense(sparse_input=a, type=tf.float32) ** 2,
            r.SparseMatrixMatMul(a=a, b=dense) ** 2,
            r.CSRSparseMatrixToSparseTensor(sparse_matrix=a, type=tf.float32).values ** 2,
        ]
    return [results, [tape.gradient(y, [values, dense]) for y in results]]


@row
def a_checkpoint(tf, folder):
    names, arrays = ["a", "b/c"], [tf.constant([1.0, 2.0]), tf.constant([[3]], tf.int64)]
    prefix = f"{folder}/saved"
    tf.raw_ops.SaveV2(prefix=prefix, tensor_names=names, shape_and_slices=["", ""], tensors=arrays)

    def restored(name, dtype):
        return tf.raw_ops.RestoreV2(prefix=prefix, tensor_names=[name], shape_and_slices=[""], dtypes=[dtype])

    return [
        tf.raw_ops.RestoreV2(prefix=prefix, tensor_names=names, shape_and_slices=["", ""],
                             dtypes=[tf.float32, tf.int64]),
        raised(lambda: restored("z", tf.float32), "not found in checkpoint"),
        raised(lambda: restored("a", tf.int32)),
    ]  # fmt: skip


@row
def lines_of_files_numbered_anew(tf, folder):
    for name, lines in (("new", "a\nb\nc\nd\n"), ("old", "c\nx\nb\na\n")):
        tf.io.write_file(f"{folder}/{name}", lines)
    files = {"new_vocab_file": f"{folder}/new", "old_vocab_file": f"{folder}/old"}
    return [
        list(tf.raw_ops.GenerateVocabRemapping(**files, new_vocab_offset=1, num_new_vocab=3)),
        list(tf.raw_ops.GenerateVocabRemapping(**files, new_vocab_offset=0, num_new_vocab=3, old_vocab_size=3)),
    ]


@row
def a_loop_over_numbers_and_calls(tf):
    @tf.function(input_signature=[tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.float32)])
    def body(i, x):
        return x + tf.cast(i, tf.float32)

    return tf.raw_ops.For(start=1, limit=7, delta=2, input=[tf.constant(0.5)], body=body.get_concrete_function())


@row
def soft_suppression_drops_nothing_at_once(tf):
    boxes, scores = tf.constant([[0.0, 0, 1, 1], [0, 0, 1, 0.9], [2, 2, 3, 3]]), tf.constant([0.9, 0.8, 0.7])
    return tf.image.non_max_suppression_with_scores(boxes, scores, 3, 0.5, 0.1, 0.5)


@row
def sums_of_sparse_tensors_under_a_threshold(tf):
    def sparse(places, values):
        return tf.SparseTensor([[place] for place in places], values, [9])

    total = tf.sparse.add(sparse([0, 3, 6], [0.1, 0.2, 1.0]), sparse([1, 3, 6], [0.1, 0.1, 0.5]), 0.5)
    return [total.indices, total.values]


@row
def sparse_tensors_become_texts(tf):
    one = tf.SparseTensor([[0, 1], [1, 0], [1, 2]], [1.0, 2.0, 3.0], [2, 3])
    texts = tf.io.serialize_many_sparse(one)
    again = tf.io.deserialize_many_sparse(texts, tf.float32)
    return [
        tf.strings.length([*tf.io.serialize_sparse(one), *texts[0], *texts[1]]),
        [again.indices, again.values, again.dense_shape],
        tf.io.deserialize_many_sparse(texts[0], tf.float32).values,
        raised(lambda: tf.io.deserialize_many_sparse(texts[0][:2], tf.float32)),
        raised(lambda: tf.io.serialize_many_sparse(tf.SparseTensor([[0]], [1.0], [2]))),
    ]  # fmt: skip


@row
def a_prevented_gradient(tf):
    x = tf.Variable(2.0)

    def run(x):
        return tf.raw_ops.PreventGradient(input=x * x, message="not this one")

    results = []
    for function in (run, tf.function(run)):
        def of_gradient(function=function):
            with tf.GradientTape() as tape:
                y = function(x)
            return tape.gradient(y, x)

        results += [function(x), raised(of_gradient)]
    return results


@row
def ragged_tensors_as_elements(tf):
    ops, rows = tf.raw_ops, tf.ragged.constant([[[1.0, 2.0], []], [[3.0]], []], ragged_rank=2)
    parts = {"rt_nested_splits": rows.nested_row_splits, "rt_dense_values": rows.flat_values}
    each, whole = (ops.RaggedTensorToVariant(**parts, batched_input=batched) for batched in (True, False))

    def back(element, rank, result, values=tf.float32, splits=tf.int64):
        made = ops.RaggedTensorFromVariant(
            encoded_ragged=element, input_ragged_rank=rank, output_ragged_rank=result, Tvalues=values, Tsplits=splits
        )
        return [*made.output_nested_splits, made.output_dense_values]

    x = tf.constant([1.0, 2.0, 3.0])
    splits = tf.constant([0, 2, 3], tf.int64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        flat = ops.RaggedTensorToVariant(rt_nested_splits=[splits], rt_dense_values=x, batched_input=True)
        y = back(flat, 0, 1)[-1] ** 2
    return [
        list(each.shape), back(each, 1, 2), back(each, -1, 2), back(each[0], 1, 1), back(whole, 2, 2),
        tape.gradient(y, x),
        ops.RaggedTensorToVariantGradient(encoded_ragged_grad=flat, row_splits=splits, dense_values_shape=[3],
                                          Tvalues=tf.float32),
        raised(lambda: back(each, 1, 3), "output_ragged_rank"), raised(lambda: back(each, 0, 1)),
        raised(lambda: back(each, 1, 2, tf.int32)), raised(lambda: back(each, 1, 2, tf.float32, tf.int32)),
        raised(lambda: ops.RaggedTensorToVariant(rt_nested_splits=[], rt_dense_values=1.0, batched_input=True)),
    ]  # fmt: skip


@row
def components_as_an_element(tf):
    element = tf.raw_ops.CompositeTensorVariantFromComponents(components=[tf.constant(1.0), tf.constant([2])],
                                                              metadata="")  # fmt: skip
    return tf.raw_ops.CompositeTensorVariantToComponents(
        encoded=element, metadata="", Tcomponents=[tf.float32, tf.int32]
    )


@row
def a_call_is_a_batch(tf, np):
    def batched(count, **more):
        tensors = [tf.reshape(tf.range(2 * count), [count, 2])]
        return tf.raw_ops.Batch(in_tensors=tensors, num_batch_threads=1, max_batch_size=4, batch_timeout_micros=1000,
                                grad_timeout_micros=1000, **more)  # fmt: skip

    made = batched(2, allowed_batch_sizes=[3, 4])
    told = {"batch_index": made.batch_index, "id": made.id}
    return [
        made.batched_tensors, made.batch_index[:, 1:], batched(3).batched_tensors,
        tf.raw_ops.Unbatch(batched_tensor=made.batched_tensors[0], timeout_micros=1000, **told),
        tf.raw_ops.UnbatchGrad(original_input=tf.zeros([3, 2]), grad=tf.ones([2, 2]), **told),
        raised(lambda: batched(5)),
    ]  # fmt: skip


@row
def a_lock_is_held_and_released(tf):
    ops, result = tf.raw_ops, []
    mutex = ops.MutexV2(shared_name="a_lock")
    for i in range(3):
        lock = ops.MutexLock(mutex=mutex)
        result.append(i)
        ops.ConsumeMutexLock(mutex_lock=lock)
        del lock
    return result


@row
def gradients_of_an_array(tf):
    ops = tf.raw_ops
    handle, flow = ops.TensorArrayV3(size=3, dtype=tf.float32, clear_after_read=False)
    for i in range(3):
        flow = ops.TensorArrayWriteV3(handle=handle, index=i, value=[i + 1.0, 2.0], flow_in=flow)
    grads, flow_of_grads = ops.TensorArrayGradV3(handle=handle, flow_in=flow, source="a")
    for value in ([5.0, 5.0], [1.0, 5.0]):
        flow_of_grads = ops.TensorArrayWriteV3(handle=grads, index=1, value=value, flow_in=flow_of_grads)
    more, flow_of_more = ops.TensorArrayGradWithShape(handle=handle, flow_in=flow, source="b", shape_to_prepend=[2])
    flow_of_more = ops.TensorArrayWriteV3(handle=more, index=1, value=tf.ones([2, 2]), flow_in=flow_of_more)
    return [
        [ops.TensorArrayReadV3(handle=grads, index=i, flow_in=flow_of_grads, dtype=tf.float32) for i in (0, 1)],
        ops.TensorArrayReadV3(handle=more, index=1, flow_in=flow_of_more, dtype=tf.float32),
        ops.TensorArraySizeV3(handle=grads, flow_in=flow_of_grads),
    ]


@row
def a_sparse_factor(tf):
    ops = tf.raw_ops
    places, values = [[0, 0], [0, 1], [1, 0], [1, 1], [2, 2]], tf.constant([4.0, 1.0, 1.0, 3.0, 2.0])
    matrix = ops.SparseTensorToCSRSparseMatrix(indices=places, values=values, dense_shape=[3, 3])
    order = ops.SparseMatrixOrderingAMD(input=matrix)

    def factor(matrix, order):
        result = ops.SparseMatrixSparseCholesky(input=matrix, permutation=order, type=tf.float32)
        return ops.CSRSparseMatrixToSparseTensor(sparse_matrix=result, type=tf.float32)

    wrong = ops.SparseTensorToCSRSparseMatrix(indices=places, values=-values, dense_shape=[3, 3])
    return [
        order, factor(matrix, order), factor(matrix, tf.constant([1, 0, 2])),
        raised(lambda: factor(wrong, order), "Cholesky factorization failed"),
        raised(lambda: factor(matrix, tf.constant([1, 0])), "permutation must have"),
    ]  # fmt: skip


@row_for(name=["TensorArrayV2", "RefIdentity", "BoostedTreesBucketize", "CudnnRNNParamsSize", "QuantizeAndDequantize",
               "Placeholder", "GetSessionHandle", "SymbolicGradient", "XlaSplitND"])  # fmt: skip
def ops_that_tensorflow_refuses_itself(tf, name):
    arguments = {
        "TensorArrayV2": {"size": 3, "dtype": tf.float32}, "RefIdentity": {"input": tf.Variable(1.0)},
        "BoostedTreesBucketize": {"float_values": [tf.constant([1.0])], "bucket_boundaries": [tf.constant([1.0])]},
        "CudnnRNNParamsSize": {"num_layers": 1, "num_units": 2, "input_size": 3, "T": tf.float32, "S": tf.int32},
        "QuantizeAndDequantize": {"input": 1.0}, "Placeholder": {"dtype": tf.float32},
        "GetSessionHandle": {"value": 1.0}, "XlaSplitND": {"input": [1.0], "N": 1, "num_splits": [1]},
        "SymbolicGradient": {"input": [1.0], "Tout": [tf.float32],
                             "f": tf.function(lambda x: x).get_concrete_function(tf.constant(1.0))},
    }  # fmt: skip
    return raised(lambda: getattr(tf.raw_ops, name)(**arguments[name]))
