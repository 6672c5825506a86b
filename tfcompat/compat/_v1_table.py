"""Functions of `tf.compat.v1` that are one of TensorFlow 2 with other names or another order of arguments, as a table.

A row: names in tf.compat.v1; the function in TensorFlow 2 (`=` for the same name, `*` where only the prefix differs);
the arguments in TensorFlow 1's order. `old>new` is called `new` in TensorFlow 2, `old>` is of no effect, and of `old!`
only the default is available. None means that nothing was given.
"""

import ast
import inspect

import tfcompat as tf
from tfcompat._core.graphs import kernel_of
from tfcompat.errors import UnimplementedError

_REDUCED = "input_tensor, axis=None, keepdims=None, name=None>, reduction_indices=None>axis, keep_dims=None>keepdims"
_REDUCED_SPARSE = "sp_input, axis=None, keepdims=None, reduction_axes=None>axis, keep_dims=None>keepdims"
_SHAPED = "dtype=tf.float32, seed=None, name=None>"
_SCOPE = "back_prop=True, swap_memory=False, "
_CHECKED = "data=None>, summarize=None, message=None, name=None>"
_RANKED = "data=None>, summarize=None>, message=None, name=None>"

ROWS = (
    ("reduce_mean reduce_sum reduce_max reduce_min reduce_prod reduce_any reduce_all reduce_logsumexp math.reduce_mean "
     "math.reduce_sum math.reduce_max math.reduce_min math.reduce_prod math.reduce_any math.reduce_all "
     "math.reduce_logsumexp", "=", _REDUCED),
    ("count_nonzero math.count_nonzero", "math.count_nonzero",
     "input_tensor=None>input, axis=None, keepdims=None, dtype=tf.int64, name=None>, reduction_indices=None>axis, "
     "keep_dims=None>keepdims, input=None"),
    ("norm linalg.norm", "norm",
     "tensor, ord='euclidean', axis=None, keepdims=None, name=None>, keep_dims=None>keepdims"),
    ("argmax argmin math.argmax math.argmin", "=",
     "input, axis=None, name=None>, dimension=None>axis, output_type=tf.int64"),
    ("arg_max", "argmax", "input, dimension>axis, output_type=tf.int64, name=None>"),
    ("arg_min", "argmin", "input, dimension>axis, output_type=tf.int64, name=None>"),
    ("expand_dims", "=", "input, axis=None, name=None>, dim=None>axis"),
    ("squeeze", "=", "input, axis=None, name=None>, squeeze_dims=None>axis"),
    ("zeros_like ones_like", "=", "tensor>input, dtype=None, name=None>, optimize=True>"),
    ("transpose", "=", "a, perm=None, name='transpose'>, conjugate=False"),
    ("shape size", "=", "input, name=None>, out_type=None"),
    ("div_no_nan", "math.divide_no_nan", "x, y, name=None>"),
    ("pad", "=", "tensor, paddings, mode='CONSTANT', name=None>, constant_values=0"),
    ("gather", "=", "params, indices, validate_indices=None, name=None>, axis=None, batch_dims=0"),
    ("gather_nd", "=", "params, indices, name=None>, batch_dims=0, bad_indices_policy=''"),
    ("boolean_mask", "=", "tensor, mask, name='boolean_mask'>, axis=None"),
    ("batch_gather", "gather", "params, indices, name=None>"),
    ("batch_to_space_nd", "batch_to_space", "input, block_shape, crops, name=None>"),
    ("space_to_depth depth_to_space nn.space_to_depth nn.depth_to_space", "nn.*",
     "input, block_size, name=None>, data_format='NHWC'"),
    ("confusion_matrix math.confusion_matrix", "math.confusion_matrix",
     "labels, predictions, num_classes=None, dtype=tf.int32, name=None>, weights=None"),
    ("math.in_top_k nn.in_top_k", "math.in_top_k", "predictions, targets, k, name=None>"),
    ("to_float", "cast:float32", "x, name='ToFloat'>"), ("to_double", "cast:float64", "x, name='ToDouble'>"),
    ("to_int32", "cast:int32", "x, name='ToInt32'>"), ("to_int64", "cast:int64", "x, name='ToInt64'>"),
    ("to_bfloat16", "cast:bfloat16", "x, name='ToBFloat16'>"), ("to_complex64", "cast:complex64", "x, name=''>"),
    ("to_complex128", "cast:complex128", "x, name=''>"),
    # Control
    ("cond", "=", "pred, true_fn=None, false_fn=None, strict=False>, name=None>, fn1=None>true_fn, fn2=None>false_fn"),
    ("map_fn", "=",
     f"fn, elems, dtype=None, parallel_iterations=None, {_SCOPE}infer_shape=True, name=None>, "
     "fn_output_signature=None"),
    ("scan", "=",
     f"fn, elems, initializer=None, parallel_iterations=10, {_SCOPE}infer_shape=True, reverse=False, name=None>"),
    ("foldl foldr", "=", f"fn, elems, initializer=None, parallel_iterations=10, {_SCOPE}name=None>"),
    ("case", "=", "pred_fn_pairs, default=None, exclusive=False, strict=False, name='case'>"),
    ("py_func", "numpy_function", "func, inp, Tout, stateful=True, name=None>"),
    ("device", "=", "device_name_or_function>device_name"),
    ("gradients", "=",
     "ys, xs, grad_ys=None, name='gradients'>, colocate_gradients_with_ops=False>, gate_gradients=False, "
     "aggregation_method=None, stop_gradients=None, unconnected_gradients=None"),
    ("hessians", "=",
     "ys, xs, name='hessians'>, colocate_gradients_with_ops=False>, gate_gradients=False, aggregation_method=None"),
    # Random numbers
    ("random_uniform", "random.uniform", f"shape, minval=0, maxval=None, {_SHAPED}"),
    ("random_normal", "random.normal", f"shape, mean=0.0, stddev=1.0, {_SHAPED}"),
    ("truncated_normal", "random.truncated_normal", f"shape, mean=0.0, stddev=1.0, {_SHAPED}"),
    ("random_shuffle", "random.shuffle", "value, seed=None, name=None>"),
    ("random_crop", "image.random_crop", "value, size, seed=None, name=None>"),
    ("random_gamma", "random.gamma", f"shape, alpha, beta=None, {_SHAPED}"),
    ("random_poisson random.poisson", "random.poisson", f"lam, shape, {_SHAPED}"),
    ("multinomial random.multinomial", "random.categorical",
     "logits, num_samples, seed=None, name=None>, output_dtype=None>dtype"),
    # Neural networks
    ("nn.softmax nn.log_softmax math.softmax math.log_softmax", "nn.*",
     "logits, axis=None, name=None>, dim=None>axis"),
    ("nn.sigmoid_cross_entropy_with_logits", "=", "labels=None, logits=None, name=None>"),
    ("nn.sparse_softmax_cross_entropy_with_logits", "=", "labels=None, logits=None, name=None>"),
    ("nn.weighted_cross_entropy_with_logits", "=",
     "labels=None, logits=None, pos_weight=None, name=None>, targets=None>labels"),
    ("nn.conv1d", "=",
     "value=None>input, filters=None, stride=None, padding=None, use_cudnn_on_gpu=None>, data_format=None, "
     "name=None>, input=None, dilations=None"),
    ("nn.conv2d", "=",
     "input, filter=None>filters, strides=None, padding=None, use_cudnn_on_gpu=True>, data_format='NHWC', "
     "dilations=[1,1,1,1], name=None>, filters=None"),
    ("nn.conv3d", "=",
     "input, filter=None>filters, strides=None, padding=None, data_format='NDHWC', dilations=[1,1,1,1,1], "
     "name=None>, filters=None"),
    ("nn.conv2d_transpose", "=",
     "value=None>input, filter=None>filters, output_shape=None, strides=None, padding='SAME', data_format='NHWC', "
     "name=None>, input=None, filters=None, dilations=None"),
    ("nn.conv3d_transpose", "=",
     "value>input, filter=None>filters, output_shape=None, strides=None, padding='SAME', data_format='NDHWC', "
     "name=None>, input=None, filters=None, dilations=None"),
    ("nn.depthwise_conv2d", "=",
     "input, filter, strides, padding, rate=None>dilations, name=None>, data_format=None, dilations=None"),
    ("nn.depthwise_conv2d_native", "nn.depthwise_conv2d",
     "input, filter, strides, padding, data_format='NHWC', dilations=[1,1,1,1]!, name=None>"),
    ("nn.separable_conv2d", "=",
     "input, depthwise_filter, pointwise_filter, strides, padding, rate=None>dilations, name=None>, data_format=None, "
     "dilations=None"),
    ("nn.convolution", "=",
     "input, filter>filters, padding, strides=None, dilation_rate=None>dilations, name=None>, data_format=None, "
     "filters=None, dilations=None"),
    ("nn.pool", "=",
     "input, window_shape, pooling_type, padding, dilation_rate=None>dilations, strides=None, name=None>, "
     "data_format=None, dilations=None"),
    ("nn.max_pool nn.avg_pool", "=",
     "value>input, ksize, strides, padding, data_format='NHWC', name=None>, input=None"),
    ("nn.max_pool_with_argmax", "=",
     "input, ksize, strides, padding, data_format='NHWC', Targmax=None>output_dtype, name=None>, output_dtype=None, "
     "include_batch_in_index=False"),
    ("nn.avg_pool2d", "nn.avg_pool",
     "value>input, ksize, strides, padding, data_format='NHWC', name=None>, input=None"),
    ("nn.ctc_loss_v2", "nn.ctc_loss",
     "labels, logits, label_length, logit_length, logits_time_major=True, unique=None, blank_index=None, name=None>"),
    ("nn.safe_embedding_lookup_sparse", "=",
     "embedding_weights, sparse_ids, sparse_weights=None, combiner='mean', default_id=None, name=None>, "
     "partition_strategy='div'!, max_norm=None, allow_fast_lookup=False"),
    ("scalar_mul math.scalar_mul", "math.scalar_mul", "scalar, x, name=None>"),
    ("feature_column.categorical_column_with_vocabulary_file", "=",
     "key, vocabulary_file, vocabulary_size=None, num_oov_buckets=0, default_value=None, dtype=tf.string"),
    ("feature_column.make_parse_example_spec", "=", "feature_columns"),
    ("serialize_sparse io.serialize_sparse", "io.serialize_sparse", "sp_input, name=None>, out_type=tf.string"),
    ("serialize_many_sparse io.serialize_many_sparse", "io.serialize_many_sparse",
     "sp_input, name=None>, out_type=tf.string"),
    ("debugging.assert_shapes", "=", "shapes, data=None>, summarize=None>, message=None, name=None>"),
    ("nn.crelu", "=", "features, name=None>, axis=-1"),
    ("nn.moments", "=", "x, axes, shift=None, name=None>, keep_dims=None>keepdims, keepdims=None"),
    ("nn.weighted_moments", "=",
     "x, axes, frequency_weights, name=None>, keep_dims=None>keepdims, keepdims=None"),
    ("nn.sufficient_statistics", "=", "x, axes, shift=None, keep_dims=None>keepdims, name=None>, keepdims=None"),
    ("nn.nce_loss", "=",
     "weights, biases, labels, inputs, num_sampled, num_classes, num_true=1, sampled_values=None, "
     "remove_accidental_hits=False, partition_strategy='mod'>, name='nce_loss'>"),
    ("nn.sampled_softmax_loss", "=",
     "weights, biases, labels, inputs, num_sampled, num_classes, num_true=1, sampled_values=None, "
     "remove_accidental_hits=True, partition_strategy='mod'>, name='sampled_softmax_loss'>, seed=None"),
    ("bincount math.bincount", "math.bincount",
     "arr, weights=None, minlength=None, maxlength=None, dtype=tf.int32"),
    ("decode_csv io.decode_csv", "io.decode_csv",
     "records, record_defaults, field_delim=',', use_quote_delim=True, name=None>, na_value='', select_cols=None"),
    ("extract_image_patches image.extract_image_patches", "image.extract_patches",
     "images, ksizes=None>sizes, strides=None, rates=None, padding=None, name=None>, sizes=None"),
    ("sparse_matmul", "matmul",
     "a, b, transpose_a=False, transpose_b=False, a_is_sparse=False, b_is_sparse=False, name=None>"),
    ("nn.embedding_lookup", "=",
     "params, ids, partition_strategy='mod'!, name=None>, validate_indices=True>, max_norm=None"),
    # Pictures and text
    ("image.resize_area", "image.resize:area", "images, size, align_corners=False!, name=None>"),
    ("image.crop_and_resize", "=",
     "image, boxes, box_ind=None>box_indices, crop_size=None, method='bilinear', extrapolation_value=0, name=None>, "
     "box_indices=None"),
    ("image.draw_bounding_boxes", "=", "images, boxes, name=None>, colors=None"),
    ("string_to_number strings.to_number", "strings.to_number",
     "string_tensor=None>input, out_type=tf.float32, name=None>, input=None"),
    ("string_to_hash_bucket strings.to_hash_bucket", "strings.to_hash_bucket",
     "string_tensor=None>input, num_buckets=None, name=None>, input=None"),
    ("substr strings.substr", "strings.substr", "input, pos, len, name=None>, unit='BYTE'"),
    ("strings.length", "=", "input, name=None>, unit='BYTE'"),
    ("reduce_join strings.reduce_join", "strings.reduce_join",
     "inputs, axis=None, keep_dims=None>keepdims, separator='', name=None>, reduction_indices=None>axis, "
     "keepdims=None"),
    ("decode_raw io.decode_raw", "io.decode_raw",
     "input_bytes=None, out_type=None, little_endian=True, name=None>, bytes=None>input_bytes"),
    ("parse_example io.parse_example", "io.parse_example",
     "serialized, features, name=None>, example_names=None"),
    ("parse_single_example io.parse_single_example", "io.parse_single_example",
     "serialized, features, name=None>, example_names=None"),
    ("sparse_add sparse.add", "sparse.add", "a, b, threshold=None, thresh=None>threshold"),
    ("sparse_reduce_sum sparse.reduce_sum", "sparse.reduce_sum", _REDUCED_SPARSE),
    ("sparse_reduce_max sparse.reduce_max", "sparse.reduce_max", _REDUCED_SPARSE),
    ("sparse_concat sparse.concat", "sparse.concat",
     "axis, sp_inputs, name=None>, expand_nonconcat_dim=False>expand_nonconcat_dims, concat_dim=None>axis, "
     "expand_nonconcat_dims=None"),
    # Checks
    ("verify_tensor_all_finite debugging.assert_all_finite", "debugging.assert_all_finite",
     "t=None>x, msg=None>message, name=None>, x=None, message=None"),
    ("assert_equal assert_none_equal assert_less assert_less_equal assert_greater assert_greater_equal "
     "debugging.assert_equal debugging.assert_none_equal debugging.assert_less debugging.assert_less_equal "
     "debugging.assert_greater debugging.assert_greater_equal", "debugging.*", f"x, y, {_CHECKED}"),
    ("assert_positive assert_negative assert_non_negative assert_non_positive debugging.assert_positive "
     "debugging.assert_negative debugging.assert_non_negative debugging.assert_non_positive", "debugging.*",
     f"x, {_CHECKED}"),
    ("assert_near debugging.assert_near", "debugging.assert_near", f"x, y, rtol=None, atol=None, {_CHECKED}"),
    ("assert_rank assert_rank_at_least debugging.assert_rank debugging.assert_rank_at_least", "debugging.*",
     f"x, rank, {_RANKED}"),
    ("assert_rank_in debugging.assert_rank_in", "debugging.assert_rank_in", f"x, ranks, {_RANKED}"),
    ("assert_integer debugging.assert_integer", "debugging.assert_integer", "x, message=None, name=None>"),
    ("assert_type debugging.assert_type", "debugging.assert_type", "tensor, tf_type, message=None, name=None>"),
    ("assert_scalar debugging.assert_scalar", "debugging.assert_scalar", "tensor, name=None>, message=None"),
    # Files
    ("gfile.Exists gfile.Stat gfile.Remove", "io.gfile.!", "filename>path"),
    ("gfile.IsDirectory gfile.ListDirectory gfile.DeleteRecursively gfile.MakeDirs gfile.MkDir", "io.gfile.!",
     "dirname>path"),
    ("gfile.FastGFile", "io.gfile.GFile", "name, mode='r'"),
    ("gfile.Glob", "io.gfile.glob", "filename>pattern"),
    ("gfile.Copy", "io.gfile.copy", "oldpath>src, newpath>dst, overwrite=False"),
    ("gfile.Rename", "io.gfile.rename", "oldname>src, newname>dst, overwrite=False"),
    ("gfile.Walk", "io.gfile.walk", "top, in_order=True>topdown"),
)  # fmt: skip

_FILES = {"ListDirectory": "listdir", "DeleteRecursively": "rmtree", "IsDirectory": "isdir"}


def _target(name, to):
    """The path in TensorFlow 2, and the value of a last argument that the name stands for."""
    last = name.rpartition(".")[2]
    to = name if to == "=" else to.replace("*", last).replace("!", _FILES.get(last, last.lower()))
    return to.partition(":")[::2]


def _found(path):
    target = tf
    for part in path.split("."):
        target = getattr(target, part)
    return target


def _parsed(arguments):
    """The signature, a dict from TensorFlow 1's names to TensorFlow 2's, and those that only have their default."""
    parameters, renamed, fixed = [], {}, []
    for argument in arguments.split(", "):
        text, renames, new = argument.partition(">")
        name, has_default, default = text.removesuffix("!").partition("=")
        if text.endswith("!"):
            fixed.append(name)
        if renames or text.endswith("!"):
            renamed[name] = new
        if default.startswith("tf."):
            default = getattr(tf, default.removeprefix("tf."))
        elif has_default:
            default = ast.literal_eval(default)
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        empty = inspect.Parameter.empty
        parameters.append(inspect.Parameter(name, kind, default=default if has_default else empty))
    return inspect.Signature(parameters), renamed, fixed


def _made(name, to, arguments):
    """The function of a row for one of its names."""
    (path, last), (signature, renamed, fixed) = _target(name, to), _parsed(arguments)
    function = _batch_gather if name == "batch_gather" else _found(path)
    needed = [x.name for x in inspect.signature(function).parameters.values() if x.default is inspect.Parameter.empty]

    def call(*args, **kwargs):
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{call.__name__}() {error}") from None
        passed = set(bound.arguments)
        bound.apply_defaults()
        values = {key: value for key, value in bound.arguments.items() if value is not None and key not in renamed}
        for old, new in renamed.items():
            value = bound.arguments[old]
            if old in fixed and old in passed and value != signature.parameters[old].default:
                raise UnimplementedError(None, None, f"tf.compat.v1.{name} with {old}={value}: use tf.{path}")
            if not new or value is None:
                continue
            if new in values and old in passed and new in passed:
                raise ValueError(f"Cannot specify both '{old}' and '{new}'.")
            if new not in values or old in passed:
                values[new] = value
        function = _batch_gather if name == "batch_gather" else _found(path)
        if last:
            return function(*values.values(), last)
        for argument in needed:
            if argument not in values and argument not in ("args", "kwargs"):
                raise ValueError(f"Must specify {argument} in the arguments of tf.compat.v1.{name}")
        return function(**values)

    call.__name__ = call.__qualname__ = name.rpartition(".")[2]
    call.kernel = kernel_of(function)
    call.__signature__ = signature  # pyright: ignore
    call.__doc__ = f"`tf.{path}` with the arguments of TensorFlow 1. TF: `tf.compat.v1.{name}`."
    return call


def _batch_gather(params, indices):
    return tf.gather(params, indices, batch_dims=tf.convert_to_tensor(indices).shape.rank - 1)


_ROW_OF = {name: (to, arguments) for names, to, arguments in ROWS for name in names.split()}


def function_of(name):
    """The function for a name in `tf.compat.v1`, made of its row; None if there is no row for it."""
    return _made(name, *_ROW_OF[name]) if name in _ROW_OF else None


def names_in(module):
    """The names in a module of `tf.compat.v1`, the empty string for itself."""
    return [name.rpartition(".")[2] for name in _ROW_OF if name.rpartition(".")[0] == module]
