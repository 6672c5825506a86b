"""Rows: names of `tf.compat.v1` whose arguments are others, or in another order, than those of TensorFlow 2."""

import inspect

import numpy
from rows import row

A = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
B = [[True, False], [True, True]]


def each(tf, *calls):
    """What calls give: values, sparse tensors by their parts, exceptions by their type."""
    found = []
    for call in calls:
        try:
            value = call()
        except Exception as error:
            value = type(error).__name__
        if isinstance(value, tf.SparseTensor):
            value = [value.indices, value.values, value.dense_shape]
        if isinstance(value, tf.RaggedTensor):
            value = [value.values, value.row_splits]
        if isinstance(value, tf.TensorShape):
            value = value.as_list()
        if isinstance(value, tf.DType):
            value = value.name
        found.append(value)
    return found


def some_pictures(tf):
    return tf.constant((numpy.arange(2 * 4 * 4 * 3) / 7).reshape(2, 4, 4, 3), tf.float32)


def kernel(tf):
    return tf.constant(numpy.linspace(-1, 1, 54).reshape(3, 3, 3, 2), tf.float32)


@row
def reductions_and_moves(tf, np):
    v = tf.compat.v1
    a = tf.constant(A)
    b = tf.constant(B)
    return each(
        tf,
        lambda: v.reduce_mean(a, 1, keep_dims=True),
        lambda: v.reduce_sum(a, reduction_indices=[1]),
        lambda: v.reduce_max(a, axis=0),
        lambda: v.reduce_sum(a, 1, keep_dims=True, keepdims=True),
        lambda: v.reduce_sum(a, 1, reduction_indices=1),
        lambda: v.reduce_min(a),
        lambda: v.reduce_prod(a, [0, 1], True),
        lambda: v.reduce_any(b, 1),
        lambda: v.reduce_all(b, reduction_indices=1, keep_dims=True),
        lambda: v.reduce_logsumexp(a, keep_dims=True),
        lambda: v.math.reduce_sum(a, 1, keep_dims=True),
        lambda: v.expand_dims(a, dim=0),
        lambda: v.expand_dims(a, 1),
        lambda: v.expand_dims(a),
        lambda: v.expand_dims(a, 1, dim=1),
        lambda: v.zeros_like(a, optimize=False),
        lambda: v.ones_like(tensor=a, dtype=tf.int32),
        lambda: v.transpose(a, [1, 0]),
        lambda: v.transpose(a, [1, 0], "name", True),
        lambda: v.shape(a, "n", tf.int64),
        lambda: v.shape(a, out_type=tf.int64),
        lambda: v.size(a),
        lambda: v.div_no_nan(a, a - 1),
        lambda: v.argmax(a, dimension=1),
        lambda: v.argmin(a, 1, output_type=tf.int32),
        lambda: v.argmax(a),
        lambda: v.arg_max(a, 1),
        lambda: v.squeeze(tf.ones((1, 2, 1)), squeeze_dims=[0]),
        lambda: v.squeeze(tf.ones((1, 2, 1))),
    )  # fmt: skip


@row
def losses_and_layers(tf, np):
    v = tf.compat.v1
    a = tf.constant(A)
    pic = some_pictures(tf)
    k = kernel(tf)
    return each(
        tf,
        lambda: v.nn.softmax(a, dim=0),
        lambda: v.nn.log_softmax(a, 0),
        lambda: v.nn.softmax_cross_entropy_with_logits(labels=a / 21, logits=a),
        lambda: v.nn.softmax_cross_entropy_with_logits(a / 21, a, 0),
        lambda: v.nn.softmax_cross_entropy_with_logits(labels=a / 21, logits=a, axis=0),
        lambda: v.nn.softmax_cross_entropy_with_logits(labels=a / 21),
        lambda: v.nn.softmax_cross_entropy_with_logits_v2(labels=a / 21, logits=a, dim=0),
        lambda: v.nn.sigmoid_cross_entropy_with_logits(labels=a / 21, logits=a),
        lambda: v.nn.sigmoid_cross_entropy_with_logits(logits=a),
        lambda: v.nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 1], logits=a),
        lambda: v.nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 1]),
        lambda: v.nn.weighted_cross_entropy_with_logits(targets=a / 21, logits=a, pos_weight=2.0),
        lambda: v.nn.conv2d(pic, k, [1, 1, 1, 1], "SAME"),
        lambda: v.nn.conv2d(
            pic, filter=k, strides=[1, 2, 2, 1], padding="VALID", use_cudnn_on_gpu=False, data_format="NHWC"
        ),
        lambda: v.nn.conv2d(pic, filters=k, strides=1, padding="SAME"),
        lambda: v.nn.conv2d(pic, k, filters=k, strides=1, padding="SAME"),
        lambda: v.nn.conv1d(pic[0], tf.ones((2, 3, 2)), 1, "SAME"),
        lambda: v.nn.conv1d(value=pic[0], filters=tf.ones((2, 3, 2)), stride=2, padding="VALID"),
        lambda: v.nn.conv2d_transpose(pic, tf.ones((2, 2, 2, 3)), [2, 8, 8, 2], [1, 2, 2, 1]),
        lambda: v.nn.depthwise_conv2d(pic, tf.ones((2, 2, 3, 1)), [1, 1, 1, 1], "SAME", rate=[2, 2]),
        lambda: v.nn.separable_conv2d(pic, tf.ones((2, 2, 3, 1)), tf.ones((1, 1, 3, 2)), [1, 1, 1, 1], "SAME"),
        lambda: v.nn.convolution(pic, k, "SAME"),
        lambda: v.nn.max_pool(pic, [1, 2, 2, 1], [1, 2, 2, 1], "SAME"),
        lambda: v.nn.max_pool(value=pic, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID"),
        lambda: v.nn.avg_pool(pic, [1, 3, 3, 1], [1, 1, 1, 1], padding="SAME", data_format="NHWC"),
        lambda: v.nn.max_pool(pic, 2, 2, "SAME"),
        lambda: v.nn.pool(pic, [2, 2], "MAX", "VALID"),
        lambda: v.nn.crelu(a, "n"),
        lambda: v.nn.dropout(tf.ones(4), keep_prob=1.0),
        lambda: v.nn.dropout(tf.ones(4), 1.0),
        lambda: v.nn.dropout(tf.ones(4), rate=0.0),
        lambda: v.nn.dropout(tf.ones(4), rate=0.0, keep_prob=1.0),
        lambda: v.nn.dropout(tf.ones(4)),
        lambda: v.nn.moments(a, [0], keep_dims=True),
        lambda: v.nn.moments(a, axes=[1]),
        lambda: v.nn.weighted_moments(a, [1], a, keep_dims=True),
        lambda: v.nn.embedding_lookup(a, [1, 0], partition_strategy="mod"),
        lambda: v.nn.embedding_lookup(a, [1, 0]),
        lambda: v.nn.xw_plus_b(a, tf.ones((3, 2)), [1., 2.]),
        lambda: v.nn.relu_layer(-a, tf.ones((3, 2)), [1., 2.]),
        lambda: v.nn.fused_batch_norm(pic, tf.ones(3), tf.zeros(3)),
        lambda: v.nn.fused_batch_norm(pic, tf.ones(3), tf.zeros(3), tf.ones(3), tf.ones(3), is_training=False),
        lambda: v.nn.in_top_k(a, [2, 0], 1),
        lambda: v.nn.l2_normalize(a, dim=1),
        lambda: v.nn.relu6(a),
        lambda: v.nn.zero_fraction(a),
    )  # fmt: skip


@row
def gathering_and_drawing(tf, np):
    v = tf.compat.v1
    a = tf.constant(A)
    return each(
        tf,
        lambda: v.gather(a, [1], axis=1),
        lambda: v.gather(a, [1]),
        lambda: v.gather_nd(a, [[1, 1]]),
        lambda: v.batch_gather(a, [[1], [2]]),
        lambda: v.concat([a, a], 1),
        lambda: v.random_uniform((2, 3), 0, 10, tf.int32).shape,
        lambda: v.random_normal([2]).dtype,
        lambda: v.truncated_normal([2], stddev=0.1).shape,
        lambda: v.random_shuffle([1]),
        lambda: v.multinomial(a, 2, output_dtype=tf.int32).dtype,
        lambda: v.multinomial(tf.constant([[0., 100.]]), 3),
        lambda: v.random_gamma([2], 1.0).shape,
        lambda: v.random_poisson(1.0, [2]).shape,
        lambda: v.random_crop(a, [2, 3]),
    )  # fmt: skip


@row
def pictures(tf, np):
    v = tf.compat.v1
    pic = some_pictures(tf)
    return each(
        tf,
        lambda: v.image.resize_images(pic, [8, 6]),
        lambda: v.image.resize_images(pic, (3, 5), align_corners=True),
        lambda: v.image.resize_images(pic, (3, 5), method=v.image.ResizeMethod.NEAREST_NEIGHBOR),
        lambda: v.image.resize_images(pic[0], (3, 5), method=3),
        lambda: v.image.resize_images(pic, (4, 4), method=1),
        lambda: v.image.resize_images(pic, (8, 4), preserve_aspect_ratio=True),
        lambda: v.image.resize_images(pic, (7, 5), method=1, align_corners=True),
        lambda: v.image.resize(pic, (7, 5)),
        lambda: v.image.resize_bilinear(pic, (7, 5)),
        lambda: v.image.resize_bilinear(pic, (7, 5), align_corners=True),
        lambda: v.image.resize_bilinear(pic, (7, 5), half_pixel_centers=True),
        lambda: v.image.resize_nearest_neighbor(tf.cast(pic, tf.uint8), (7, 5)),
        lambda: v.image.resize_nearest_neighbor(pic, (2, 3), half_pixel_centers=True),
        lambda: v.image.resize_area(pic, (2, 2)),
        lambda: v.image.resize_image_with_crop_or_pad(pic, 6, 2),
        lambda: v.image.crop_and_resize(pic, [[0., 0., 1., 1.]], box_ind=[0], crop_size=[2, 2]),
    )  # fmt: skip


@row
def text_and_counts(tf, np):
    v = tf.compat.v1
    a = tf.constant(A)
    return each(
        tf,
        lambda: v.string_split(["a b c", " d  e"]),
        lambda: v.string_split(["a,b;c", ""], ",;"),
        lambda: v.string_split(["a b", "cd"], ""),
        lambda: v.string_split(["a b", "cd"], delimiter=" ", skip_empty=False),
        lambda: v.string_split(["a b", "cd"], result_type="RaggedTensor"),
        lambda: v.strings.split(["a b", "cd"]),
        lambda: v.strings.split(source=["a b", "cd"], result_type="RaggedTensor"),
        lambda: v.strings.split(["a,b", "cd"], ","),
        lambda: v.string_to_number(["1.5"]),
        lambda: v.string_to_number(string_tensor=["1"], out_type=tf.int32),
        lambda: v.string_join(["a", "b"], "-"),
        lambda: v.string_to_hash_bucket_fast(["a"], 10),
        lambda: v.string_to_hash_bucket(["a"], 10),
        lambda: v.substr(["abc"], 1, 2),
        lambda: v.strings.length(["abc"]),
        lambda: v.reduce_join(["a", "b"], separator="-"),
        lambda: v.regex_replace(["ab"], "a", "c"),
        lambda: v.count_nonzero(a),
        lambda: v.count_nonzero(a, reduction_indices=1, keep_dims=True, dtype=tf.int32),
        lambda: v.norm(a, axis=1, keep_dims=True),
        lambda: v.linalg.norm(a),
    )  # fmt: skip


@row
def control_and_casts(tf, np):
    v = tf.compat.v1
    a = tf.constant(A)
    return each(
        tf,
        lambda: v.cond(tf.constant(True), lambda: 1, lambda: 2),
        lambda: v.cond(True, fn1=lambda: tf.constant(1), fn2=lambda: tf.constant(2)),
        lambda: v.cond(
            tf.constant(False), true_fn=lambda: tf.constant(1), false_fn=lambda: [tf.constant(2)], strict=True
        ),
        lambda: v.while_loop(lambda i: i < 3, lambda i: i + 1, [tf.constant(0)]),
        lambda: v.while_loop(lambda i, j: i < 3, lambda i, j: (i + 1, j * 2), [tf.constant(0), tf.constant(1)]),
        lambda: v.map_fn(lambda x: x * 2, a),
        lambda: v.scan(lambda s, x: s + x, a),
        lambda: v.foldl(lambda s, x: s + x, a),
        lambda: v.py_func(lambda x: x * 2, [a], tf.float32),
        lambda: v.verify_tensor_all_finite(a, "no"),
        lambda: v.verify_tensor_all_finite(a / 0, "no"),
        lambda: v.to_float([1]),
        lambda: v.to_int32([1.5]),
        lambda: v.to_int64(1.5),
        lambda: v.to_double(1),
    )  # fmt: skip


@row
def checks(tf, np):
    v = tf.compat.v1
    a = tf.constant(A)
    return each(
        tf,
        lambda: v.assert_equal(1, 2, message="hi"),
        lambda: v.assert_rank(a, 2),
        lambda: v.assert_rank(a, 3),
        lambda: v.assert_positive(a),
        lambda: v.assert_positive(-a),
        lambda: v.assert_non_negative(a),
        lambda: v.assert_rank_at_least(a, 3),
        lambda: v.assert_integer(a),
        lambda: v.assert_type(a, tf.int32),
        lambda: v.assert_near(1.0, 1.0),
        lambda: v.assert_none_equal(1, 1),
        lambda: v.assert_less(a, a),
        lambda: v.assert_scalar(1),
        lambda: v.debugging.assert_equal(1, 1),
    )  # fmt: skip


@row
def blocks_and_sparse(tf, np):
    v = tf.compat.v1
    a = tf.constant(A)
    return each(
        tf,
        lambda: v.batch_to_space(tf.ones((4, 1, 1, 1)), [[0, 0], [0, 0]], 2),
        lambda: v.space_to_batch(tf.ones((1, 2, 2, 1)), [[0, 0], [0, 0]], 2),
        lambda: v.space_to_batch_nd(tf.ones((1, 2, 2, 1)), [2, 2], [[0, 0], [0, 0]]),
        lambda: v.batch_to_space_nd(tf.ones((4, 1, 1, 1)), [2, 2], [[0, 0], [0, 0]]),
        lambda: v.space_to_depth(tf.ones((1, 2, 2, 1)), 2),
        lambda: v.depth_to_space(tf.ones((1, 1, 1, 4)), 2),
        lambda: v.pad(a, [[1, 1], [0, 0]], "CONSTANT", "n", 5),
        lambda: v.sparse_to_dense([[0, 1], [1, 0]], [2, 2], [5, 6]),
        lambda: v.sparse_to_dense([1, 3], [5], 1.0, 0.0),
        lambda: v.sparse_to_dense(3, [5], 1.0),
        lambda: v.sparse_tensor_to_dense(tf.sparse.from_dense(a)),
        lambda: v.sparse_tensor_dense_matmul(tf.sparse.from_dense(a), tf.ones((3, 1))),
        lambda: v.sparse_reduce_sum(tf.sparse.from_dense(a), 1),
        lambda: v.sparse_add(tf.sparse.from_dense(a), a),
        lambda: v.sparse_concat(0, [tf.sparse.from_dense(a)] * 2),
    )  # fmt: skip


@row
def other_names(tf, np):
    v = tf.compat.v1
    a = tf.constant(A)
    return each(
        tf,
        lambda: v.log(a),
        lambda: v.matrix_inverse(tf.eye(2)),
        lambda: v.matrix_diag([1., 2.]),
        lambda: v.segment_sum([1, 2, 3], [0, 0, 1]),
        lambda: v.lin_space(0., 1., 3),
        lambda: v.is_nan(a),
        lambda: v.floordiv(a, 2.),
        lambda: v.cumprod(a),
        lambda: v.cholesky(tf.eye(2)),
        lambda: v.check_numerics(a, "m"),
        lambda: v.confusion_matrix([0, 1], [1, 1]),
        lambda: v.confusion_matrix([0, 1], [1, 1], 3, tf.float32),
        lambda: v.boolean_mask(a, [True, False]),
        lambda: v.constant_initializer(2.0)([2]),
        lambda: v.zeros_initializer()([2]),
        lambda: v.ones_initializer(tf.float32)([2]),
        lambda: v.random_normal_initializer(stddev=0.0)([2]),
        lambda: v.random_uniform_initializer(1.0, 1.0)([2]),
        lambda: v.truncated_normal_initializer(5.0, 0.0)([2]),
        lambda: v.initializers.random_normal(stddev=0.0)([2]),
        lambda: v.clip_by_average_norm(a, 0.5),
        lambda: v.clip_by_value(a, 2, 3),
        lambda: v.lgamma(a),
        lambda: v.unsorted_segment_sum([1, 2], [0, 0], 2),
        lambda: v.manip.roll(a, 1, 0),
        lambda: v.spectral.fft(tf.cast(a, tf.complex64)).shape,
        lambda: v.gfile.Exists("/tmp"),
        lambda: v.gfile.IsDirectory("/tmp"),
        lambda: v.dimension_value(3),
        lambda: v.scatter_nd_update(tf.Variable([1, 2, 3]), [[1]], [5]),
        lambda: v.scatter_sub(tf.Variable([1, 2, 3]), [1], [5]),
        lambda: v.scatter_max(tf.Variable([1, 2, 3]), [1], [5]),
        lambda: v.reduce_sum(),
        lambda: v.reduce_sum(a, foo=1),
        lambda: v.placeholder(tf.float32),
        lambda: v.gradients(a, a),
        lambda: v.tensor_scatter_update([1, 2], [[0]], [5]),
        lambda: v.decode_raw(tf.constant(b"ab"), tf.uint8),
        lambda: v.one_hot([1], 3),
        lambda: v.squared_difference(a, 1.),
        lambda: v.trace(tf.eye(2)),
    )  # fmt: skip


@row
def no_gradient_goes_to_labels(tf, np):
    labels, logits, nn = tf.Variable(A) / 21.0, tf.Variable(A), tf.compat.v1.nn
    found = []
    for function in (nn.softmax_cross_entropy_with_logits, nn.softmax_cross_entropy_with_logits_v2):
        with tf.GradientTape() as tape:
            tape.watch(labels)
            loss = function(labels=labels, logits=logits)
        found.append(tape.gradient(loss, [labels, logits]))
    return found


@row
def files_by_old_names(tf, np):
    import os
    import tempfile

    gfile = tf.compat.v1.gfile
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a", "b")
        gfile.MakeDirs(path)
        with gfile.Open(os.path.join(path, "c.txt"), "w") as file:
            file.write("text")
        with gfile.FastGFile(os.path.join(path, "c.txt")) as file:
            found = [file.read()]
        gfile.Copy(os.path.join(path, "c.txt"), os.path.join(path, "d.txt"))
        gfile.Rename(os.path.join(path, "d.txt"), os.path.join(path, "e.txt"))
        found += [sorted(gfile.ListDirectory(path)), len(gfile.Glob(os.path.join(path, "*.txt")))]
        found += [gfile.IsDirectory(path), gfile.Exists(os.path.join(path, "d.txt"))]
        found += [gfile.Stat(os.path.join(path, "c.txt")).length, len(list(gfile.Walk(folder)))]
        gfile.Remove(os.path.join(path, "c.txt"))
        gfile.DeleteRecursively(path)
        return [*found, gfile.Exists(path)]


NAMES = """
Print arg_max arg_min argmax argmin assert_equal assert_greater assert_greater_equal assert_integer assert_less
assert_less_equal assert_near assert_negative assert_non_negative assert_non_positive assert_none_equal
assert_positive assert_rank assert_rank_at_least assert_rank_in assert_scalar assert_type batch_gather batch_to_space
batch_to_space_nd boolean_mask case clip_by_average_norm cond confusion_matrix constant_initializer count_nonzero
debugging.assert_all_finite debugging.assert_equal debugging.assert_greater debugging.assert_greater_equal
debugging.assert_integer debugging.assert_less debugging.assert_less_equal debugging.assert_near
debugging.assert_negative debugging.assert_non_negative debugging.assert_non_positive debugging.assert_none_equal
debugging.assert_positive debugging.assert_rank debugging.assert_rank_at_least debugging.assert_rank_in
debugging.assert_scalar debugging.assert_type decode_raw depth_to_space device dimension_value div_no_nan expand_dims
foldl foldr gather gather_nd gfile.Copy gfile.DeleteRecursively gfile.Exists gfile.FastGFile gfile.Glob
gfile.IsDirectory gfile.ListDirectory gfile.MakeDirs gfile.MkDir gfile.Remove gfile.Rename gfile.Stat gfile.Walk
gradients hessians image.crop_and_resize image.draw_bounding_boxes image.resize image.resize_area
image.resize_bilinear image.resize_images image.resize_nearest_neighbor  initializers.orthogonal
initializers.random_normal initializers.random_uniform initializers.truncated_normal io.decode_raw io.parse_example
io.parse_single_example linalg.norm map_fn math.argmax math.argmin math.confusion_matrix math.count_nonzero
math.in_top_k math.log_softmax math.reduce_all math.reduce_any math.reduce_logsumexp math.reduce_max math.reduce_mean
math.reduce_min math.reduce_prod math.reduce_sum math.softmax multinomial nn.avg_pool nn.conv1d nn.conv2d
nn.conv2d_transpose nn.conv3d nn.conv3d_transpose nn.convolution nn.crelu nn.depth_to_space nn.depthwise_conv2d
nn.depthwise_conv2d_native nn.dropout nn.embedding_lookup nn.fused_batch_norm nn.in_top_k nn.log_softmax nn.max_pool
nn.max_pool_with_argmax nn.moments nn.pool nn.relu_layer nn.separable_conv2d nn.sigmoid_cross_entropy_with_logits
nn.softmax nn.softmax_cross_entropy_with_logits nn.softmax_cross_entropy_with_logits_v2 nn.space_to_batch
nn.space_to_depth nn.sparse_softmax_cross_entropy_with_logits nn.sufficient_statistics
nn.weighted_cross_entropy_with_logits nn.weighted_moments nn.xw_plus_b norm ones_initializer ones_like
orthogonal_initializer pad parse_example parse_single_example py_func random.multinomial random.poisson random_crop
random_gamma random_normal random_normal_initializer random_poisson random_shuffle random_uniform
random_uniform_initializer reduce_all reduce_any reduce_join reduce_logsumexp reduce_max reduce_mean reduce_min
reduce_prod reduce_sum scan scatter_div scatter_max scatter_min scatter_mul scatter_nd_add scatter_nd_sub
scatter_nd_update scatter_sub shape size space_to_batch space_to_depth sparse.add sparse.concat sparse.reduce_max
sparse.reduce_sum sparse_add sparse_concat sparse_reduce_max sparse_reduce_sum sparse_to_dense squeeze string_split
string_to_hash_bucket string_to_number strings.length strings.reduce_join strings.split strings.substr
strings.to_hash_bucket strings.to_number substr to_bfloat16 to_complex128 to_complex64 to_double to_float to_int32
to_int64 transpose truncated_normal truncated_normal_initializer verify_tensor_all_finite while_loop zeros_initializer
zeros_like
"""


@row
def names_of_arguments(tf, np):
    found = []
    for path in NAMES.split():
        function = tf.compat.v1
        for part in path.split("."):
            function = getattr(function, part)
        found.append([path, *inspect.signature(function).parameters])
    return found


@row
def one_number_for_all_rows(tf, np):
    """Scatters of a scalar, in a variable of rows and in one of numbers."""
    names = ["update", "add", "sub", "max", "min", "mul", "div"]
    found = []
    for name in names:
        v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        delta = tf.IndexedSlices(tf.constant(2.0), tf.constant([0, 2]))
        found.append(tf.convert_to_tensor(getattr(v, f"scatter_{name}")(delta)))
    v = tf.Variable([1, 2, 3], dtype=tf.int64)
    found.append(tf.convert_to_tensor(tf.compat.v1.scatter_update(v, 0, 5)))
    found.append(tf.convert_to_tensor(tf.compat.v1.scatter_add(v, [[1, 2]], 5)))
    add = tf.function(lambda i: tf.convert_to_tensor(tf.compat.v1.scatter_add(v, i, 1)))
    return found, add(tf.constant([2])), v.assign([1, 1, 1]).op
