"""The names from inside TensorFlow that public packages import, see `tfcompat/_private`."""

import functools
import gc
import importlib
import logging

import numpy as np
import pytest

import tfcompat as tf
from tfcompat import _private
from tfcompat._private import (
    context,
    data_adapter,
    deprecation,
    iterator_ops,
    nest,
    nn_ops,
    object_identity,
    tensor_util,
    tf_decorator,
    tf_inspect,
    type_spec,
    types,
    variable_utils,
)


def test_every_module_of_the_table_is_there():
    for name in _private.TABLE:
        assert _private.module(name).__name__
    assert _private.module("python.keras.losses") is tf.keras.losses
    assert _private.module("python.eager.execute") is None


def test_walking_down_to_a_shallower_structure():
    # Answers of tensorflow/python/util/nest.py, TF 2.21.
    shallow = {"a": None, "b": (None, None)}
    deep = {"a": [1, 2], "b": (3, {"c": 4})}
    assert nest.flatten_up_to(shallow, deep) == [[1, 2], 3, {"c": 4}]
    assert nest.map_structure_up_to(shallow, lambda x, y: (x, y), deep, shallow) == {
        "a": ([1, 2], None), "b": ((3, None), ({"c": 4}, None))
    }  # fmt: skip
    assert nest.flatten_with_tuple_paths_up_to(shallow, deep)[2] == (("b", 1), {"c": 4})
    assert list(nest.yield_flat_paths(deep)) == [("a", 0), ("a", 1), ("b", 0), ("b", 1, "c")]
    assert nest.map_structure_with_tuple_paths(lambda path, x: (path, x), [5, [6]]) == [((0,), 5), [((1, 0), 6)]]
    assert nest.get_traverse_shallow_structure(lambda s: not isinstance(s, tuple), deep) == {
        "a": [True, True], "b": False
    }  # fmt: skip
    assert nest.list_to_tuple([1, [2, {"a": [3]}]]) == (1, (2, {"a": (3,)}))
    with pytest.raises(TypeError, match="If shallow structure is a sequence, input must also be a sequence"):
        nest.assert_shallow_structure([1, 2], 3)
    with pytest.raises(TypeError, match="don't have the same sequence type"):
        nest.assert_shallow_structure([1, 2], (1, 2))
    nest.assert_shallow_structure([1, 2], (1, 2), check_types=False)
    with pytest.raises(ValueError, match="don't have the same sequence length"):
        nest.assert_shallow_structure([1, 2], [1])
    with pytest.raises(ValueError, match="don't have the same"):
        nest.assert_shallow_structure({"a": 1}, {"b": 1})


def test_dicts_and_sets_by_identity():
    one, same = [1], [1]
    table = object_identity.ObjectIdentityDictionary()
    table[one], table[same] = 2, 3
    assert len(table) == 2 and table[one] == 2 and [1] not in table and list(table) == [[1], [1]]
    del table[one]
    assert table.get(one) is None and list(table.items()) == [([1], 3)]

    both = object_identity.ObjectIdentitySet([one, same, one])
    assert len(both) == 2 and one in both and [1] not in both
    both.discard(same)
    assert list(both) == [[1]] and both == object_identity.ObjectIdentitySet([one]) and len(both | {2}) == 2
    assert len(both.intersection([one, same])) == 1 and not both.difference([one])
    with pytest.raises(TypeError, match="Cannot compare wrapped object with unwrapped object"):
        assert object_identity.Reference(one) == one

    keys, items = object_identity.ObjectIdentityWeakKeyDictionary(), object_identity.ObjectIdentityWeakSet()
    kept, gone = tf.Module(), tf.Module()
    for key in (kept, gone):
        keys[key] = 1
        items.add(key)
    assert len(keys) == len(items) == 2
    del gone, key
    gc.collect()
    assert list(keys) == list(items) == [kept] and len(keys) == len(items) == 1


def test_batches_of_a_train_step():
    expanded = data_adapter.expand_1d((tf.ones(3), {"a": tf.ones((2, 2)), "b": [1, None]}))
    assert expanded[0].shape == [3, 1] and expanded[1]["a"].shape == [2, 2] and expanded[1]["b"] == [1, None]
    assert data_adapter.unpack_x_y_sample_weight((1, 2)) == (1, 2, None)
    assert _private.module("python.keras.engine").__name__ == "tensorflow.python.keras.engine"


def test_tensors_and_variables_are_of_the_type_of_tensors():
    assert isinstance(tf.ones(2), types.Tensor) and isinstance(tf.Variable(1), types.Tensor)
    assert not isinstance(np.ones(2), types.Tensor) and types.TensorLike is tf.types.experimental.TensorLike


def test_iterators_of_datasets_are_owned():
    assert isinstance(iter(tf.data.Dataset.range(3)), iterator_ops.OwnedIterator)


def test_deprecated_functions_tell_once(caplog):
    @deprecation.deprecated("2030-01-01", "Use g.")
    def f(x):
        return x + 1

    @deprecation.deprecated_args(None, "Leave it out.", "y", ("z", None))
    def g(x, y=0, z=None):
        return x

    @deprecation.deprecated_arg_values(None, "Say b.", mode="a")
    def h(mode):
        return mode

    with caplog.at_level(logging.WARNING, logger="tensorflow"):
        with deprecation.silence():
            assert f(1) == 2
        assert not caplog.records
        assert f(1) == f(1) == 2 and len(caplog.records) == 1 and "Use g." in caplog.text
        g(1, z=None)
        h("b")
        assert len(caplog.records) == 1
        g(1, 2)
        h(mode="a")
        assert len(caplog.records) == 3


def test_the_name_scope_of_the_context():
    assert context.context().scope_name == ""
    with tf.name_scope("a"), tf.name_scope("b"):
        assert context.context().scope_name == "a/b/"


def test_a_convolution_that_is_kept():
    x, kernel = tf.random.normal([1, 5, 5, 2]), tf.random.normal([3, 3, 2, 4])
    kept = nn_ops.Convolution(x.shape, kernel.shape, "SAME", strides=(2, 1), data_format="NHWC")
    np.testing.assert_array_equal(kept(x, kernel), tf.nn.convolution(x, kernel, (2, 1), "SAME", "NHWC"))
    dilated = nn_ops.Convolution(x.shape, kernel.shape, "VALID", dilation_rate=[2, 2])
    np.testing.assert_array_equal(dilated(x, kernel), tf.nn.convolution(x, kernel, padding="VALID", dilations=[2, 2]))


def test_small_helpers():
    assert tf_inspect.getfullargspec(tf.rank).args == ["input", "name"]
    assert tf_inspect.getfullargspec(tf.rank).defaults == (None,)

    def plain(a): ...

    # As in TensorFlow, only its own decorators are looked through.
    assert tf_inspect.getfullargspec(functools.wraps(plain)(lambda *args: 0))[:2] == ([], "args")
    with pytest.raises(TypeError, match="unsupported callable"):
        tf_inspect.getfullargspec(functools.partial(plain, seed=None))
    assert tf_inspect.getfullargspec(tf_decorator.make_decorator(plain, lambda *args: 0)).args == ["a"]
    assert tf_inspect.getfullargspec(tf.function(plain)).args == ["a"]
    key = object_identity.Reference([1])
    assert key == object_identity.Reference(key.deref()) and key != object_identity.Reference([1])
    assert tensor_util.constant_value_as_shape(tf.constant([2, -1])).as_list() == [2, None]
    with tf.Graph().as_default():
        sizes = tf.shape(tf.compat.v1.placeholder(tf.float32, [None, 3]))
        assert tensor_util.constant_value_as_shape(tf.concat([sizes, [4]], 0)).as_list() == [None, 3, 4]
        assert tensor_util.constant_value_as_shape(tf.compat.v1.placeholder(tf.int32, [None])).rank is None
    read = variable_utils.convert_variables_to_tensors([tf.Variable(1.0), 2])
    assert isinstance(read[0], tf.Tensor) and read[1] == 2
    with pytest.raises(ValueError, match="already been registered"):
        type_spec.register("tests.name")(type_spec.register("tests.name")(tf.TensorSpec))
    with tf.GradientTape() as tape:
        x = tf.Variable(1.0)
        y = importlib.import_module("tfcompat._private.array_ops").prevent_gradient(x, "so")
    with pytest.raises(LookupError, match="explicitly disabled. Reason: so"):
        tape.gradient(y, x)


def test_products_of_sparse_matrices_and_of_batches_of_them():
    csr = importlib.import_module("tfcompat._private.sparse_csr_matrix_ops")
    rng = np.random.RandomState(0)
    for batch in ((), (3,)):
        left, right = (np.round(rng.randn(*batch, *sizes) - 0.5).clip(0) for sizes in ((4, 5), (5, 2)))
        a, b = (tf.sparse.from_dense(x.astype("float32")) for x in (left, right))
        product = csr.sparse_matrix_sparse_mat_mul(a, b, tf.float32)
        assert product.shape == (*batch, 4, 2) and len(product.values) == np.count_nonzero(left @ right)
        np.testing.assert_array_equal(tf.sparse.to_dense(product), left @ right)


def test_a_composite_tensor_of_ones_own_passes_through_a_function():
    class Pair(tf.__internal__.CompositeTensor):
        def __init__(self, first, second):
            self.first, self.second = first, second

        @property
        def _type_spec(self):
            return PairSpec(*[tf.TensorSpec(x.shape, x.dtype) for x in (self.first, self.second)])

    class PairSpec(type_spec.BatchableTypeSpec):
        value_type = property(lambda self: Pair)
        _component_specs = property(lambda self: self._specs)

        def __init__(self, *specs):
            self._specs = specs

        def _to_components(self, value):
            return value.first, value.second

        def _from_components(self, components):
            return Pair(*components)

        def _serialize(self):
            return self._specs

    @tf.function
    def swapped(pair):
        return Pair(pair.second, pair.first + 1)

    result = swapped(Pair(tf.constant(1.0), tf.constant([2.0])))
    assert isinstance(result, Pair) and result.first.numpy() == [2.0] and result.second.numpy() == 2.0
    assert nest.flatten(result, expand_composites=True) == [result.first, result.second]


def test_a_graph_for_shapes_takes_what_depends_on_values():
    with tf.__internal__.FuncGraph("shapes").as_default():
        x = tf.compat.v1.placeholder(tf.float32, [None, 3])
        chosen = tf.boolean_mask(x, x[:, 0] > 0.0)
        assert chosen.shape.as_list() == [None, 3] and (chosen * 2.0).shape.as_list() == [None, 3]
        assert tf.boolean_mask(x, x > 0.0).shape.as_list() == [None]
        assert tf.where(x > 0.0).shape.as_list() == [None, 2]
        assert [y.shape.as_list() for y in tf.unique_with_counts(x[0])] == [[None], [3], [None]]
        counts = tf.scatter_nd(tf.cast(chosen[:, :1], tf.int32), chosen[:, 1:], [5, 2])
        assert counts.shape.as_list() == [5, 2]
    assert tf.where(tf.constant([True, False])).numpy().tolist() == [[0]]


def test_what_tapes_record():
    inside = _private.module("python").eager  # as an attribute, as PennyLane looks for it
    assert not hasattr(inside.tape, "should_record_backprop")
    watched, other, variable = tf.constant(1.0), tf.constant(2.0), tf.Variable(3.0)
    recorded = inside.record.should_record_backprop
    assert not recorded([watched]) and not inside.record.could_possibly_record()
    with tf.GradientTape() as tape:
        tape.watch(watched)
        result = watched * other
        assert recorded([watched]) and recorded([other, result]) and not recorded([other])
        assert recorded([tf.convert_to_tensor(variable)]) and inside.record.could_possibly_record()
        with tape.stop_recording():
            assert not recorded([result])
    assert not recorded([result])
    with pytest.raises(AttributeError, match="module 'tensorflow.python.eager' has no attribute 'execute'"):
        _ = inside.execute


def test_devices_and_tapes_by_their_inner_names():
    cpu = _private.module("python.client.device_lib").list_local_devices()[0]
    assert (cpu.name, cpu.device_type, cpu.memory_limit, cpu.physical_device_desc) == (
        "/device:CPU:0", "CPU", 268435456, ""
    )  # fmt: skip
    assert repr(cpu).startswith('name: "/device:CPU:0"\ndevice_type: "CPU"\nmemory_limit: 268435456\n')
    assert _private.module("python.eager.backprop").GradientTape is tf.GradientTape
    assert _private.module("core.protobuf.config_pb2").ConfigProto is tf.compat.v1.ConfigProto
    assert _private.module("python.keras.backend").set_session is tf.compat.v1.keras.backend.set_session


def test_public_functions_by_their_inner_names():
    ops = _private.module("python.ops")
    assert ops.math_ops.reduce_sum is tf.reduce_sum and ops.math_ops.argmax_v2 is tf.argmax
    assert ops.nn_ops.softmax_v2 is tf.nn.softmax and ops.variables.Variable is tf.Variable
    assert ops.array_ops.reshape is tf.reshape and ops.array_ops.prevent_gradient is not None
    assert ops.control_flow_ops.with_dependencies([], tf.constant(3)).numpy() == 3
    assert ops.control_flow_ops.group is tf.group
    assert ops.init_ops.zeros_initializer is tf.compat.v1.zeros_initializer
    assert ops.image_ops is not ops.image_ops_impl and ops.image_ops.resize_images_v2 is tf.image.resize
    with pytest.raises(AttributeError, match="tensorflow.python.ops.math_ops.argmax is private"):
        _ = ops.math_ops.argmax  # that of TensorFlow 1
    missing = []
    for module, names in _private._public().items():
        for name in names:
            try:
                getattr(_private.module(module), name)
            except AttributeError as error:
                missing.append(f"{module}.{name}")
                assert "not available in tfcompat" in str(error)
    assert len(missing) < 40


def test_slices_of_xla():
    # Answers of tensorflow/compiler/tf2xla/python/xla.py, TF 2.21.
    xla = _private.module("compiler.tf2xla.python.xla")
    x = tf.reshape(tf.range(12.0), [3, 4])
    assert xla.dynamic_slice(x, (1, tf.constant(3)), (2, 2)).numpy().tolist() == [[6.0, 7.0], [10.0, 11.0]]
    starts = tf.constant([1, 1], tf.int64)
    assert xla.dynamic_slice(tf.Variable(x), starts, tf.constant([2, 2])).numpy().tolist() == [[5.0, 6.0], [9.0, 10.0]]
    updated = xla.dynamic_update_slice(x, update=[[-1.0, -2.0]], indices=[5, 1])
    assert updated.numpy().tolist() == [[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0], [8.0, -1.0, -2.0, 11.0]]

    @tf.function
    def row(x, i):
        return xla.dynamic_slice(x, [i, 0], [1, tf.shape(x)[1]])

    assert row(x, 2).numpy().tolist() == [[8.0, 9.0, 10.0, 11.0]]


def test_attributes_that_are_to_stay_as_they_are():
    # What TF 2.21 does with tensorflow/python/trackable/data_structures.py.
    no_dependency = _private.module("python.trackable.data_structures").NoDependency
    layer, module = tf.keras.layers.Layer(), tf.Module()
    layer.given = module.given = no_dependency({"a": 1})
    layer.inner = no_dependency(tf.keras.layers.Dense(1))
    layer.inner.build((None, 2))
    assert layer.given == module.given == {"a": 1} and len(layer.weights) == 2


def test_assignments_of_tensorflow_1():
    ops = _private.module("python.ops.state_ops")
    v = tf.Variable([1.0, 2.0])
    ops.assign(v, [3.0, 4.0], use_locking=True)
    ops.assign_sub(ops.assign_add(v, [1.0, 1.0]), [0.0, 2.0])
    assert v.numpy().tolist() == [4.0, 3.0]


def test_slices_of_variables_and_what_checkpoints_save():
    helper = _private.module("python.ops").tensor_getitem_override
    assert helper._slice_helper_var(tf.Variable([1.0, 2.0]), 1).numpy() == 2.0
    module = tf.Module()
    module.v, module.number = tf.Variable(1.0), 3
    assert [(name, ref is module.v) for name, ref in module._unconditional_checkpoint_dependencies] == [("v", True)]


def test_kernels_of_pairs_of_rows():
    # Answers of tensorflow/python/keras/utils/kernelized_utils.py, TF 2.21.
    kernels = _private.module("python.keras.utils.kernelized_utils")
    x, y = tf.constant([[1.0, 2.0], [3.0, 5.0]]), tf.constant([1.0, 0.0])
    np.testing.assert_array_equal(kernels.inner_product(x, y), [[1.0], [3.0]])
    np.testing.assert_allclose(kernels.exact_gaussian_kernel(x, y, 2.0), [[0.60653067], [0.0266491]], rtol=1e-5)
    np.testing.assert_allclose(kernels.exact_laplacian_kernel(x, y, 2.0), [[0.36787945], [0.03019738]], rtol=1e-5)
    with pytest.raises(ValueError, match="rank 1 or 2. Given rank: 0"):
        kernels.inner_product(x, tf.constant(1.0))
    with pytest.raises(ValueError, match="should match. Given: 3 vs 2"):
        kernels.exact_gaussian_kernel(x, tf.ones([2, 3]), 1.0)


def test_layers_are_tested_in_models():
    layer_test = _private.module("python.keras.testing_utils").layer_test
    data = np.array([[1.0, -2.0]], np.float32)
    relu = tf.keras.layers.ReLU
    output = layer_test(relu, input_data=data, expected_output=[[1.0, 0.0]], supports_masking=True)
    np.testing.assert_array_equal(output, [[1.0, 0.0]])
    layer_test(tf.keras.layers.Dense, {"units": 3}, input_shape=(2, 4), expected_output_shape=(None, 3))
    with pytest.raises(AssertionError):
        layer_test(relu, input_data=data, expected_output=[[1.0, 2.0]])
    with pytest.raises(AssertionError, match="output_shape"):
        layer_test(relu, input_data=data, expected_output_shape=(None, 3))
    with pytest.raises(AssertionError, match="dtype"):
        layer_test(relu, input_data=data, expected_output_dtype="float64")
    with pytest.raises(AssertionError, match="supports_masking"):
        layer_test(relu, input_data=data, supports_masking=False)
    with pytest.raises(ValueError, match="input_shape is None"):
        layer_test(relu)


def test_columns_of_features_by_their_inner_names():
    # Answers of tensorflow/python/feature_column, TF 2.21.
    columns, fc = _private.module("python.feature_column.feature_column_lib"), tf.feature_column
    ids = columns.sequence_categorical_column_with_identity("ids", 3)
    assert isinstance(ids, columns.SequenceCategoricalColumn) and isinstance(ids, columns.CategoricalColumn)
    assert columns.is_feature_column_v2([ids, fc.numeric_column("x")]) and not columns.is_feature_column_v2(["x"])

    def double(x):
        return 2 * x

    several = [fc.numeric_column("x", normalizer_fn=double), fc.indicator_column(ids)]
    configs = columns.serialize_feature_columns(several)
    assert configs[0]["config"]["normalizer_fn"] == "double" and configs[1]["class_name"] == "IndicatorColumn"
    again = columns.deserialize_feature_columns([*configs, configs[0]], custom_objects={"double": double})
    assert again[:2] == several and again[2] is again[0]
    assert columns.serialize_feature_column("x") == columns.deserialize_feature_column("x") == "x"
    with pytest.raises(ValueError, match="Instance: 3 is not a FeatureColumn"):
        columns.serialize_feature_column(3)
    with pytest.raises(ValueError, match="Improper config format"):
        columns.deserialize_feature_column({"class_name": "NumericColumn"})
    with pytest.raises(ValueError, match="Unknown feature_column_v2: Other"):
        columns.deserialize_feature_column({"class_name": "Other", "config": {}})


def test_arguments_and_names_of_what_can_be_called():
    # Answers of tensorflow/python/util/function_utils.py, TF 2.21.
    utils = _private.module("python.util.function_utils")

    class Called:
        def __call__(self, x, *, y=1, **others):
            return x

        def method(self, a, b=2):
            return a

    def function(a, b, *rest):
        return a

    partial = functools.partial(function, 1)
    found = [utils.fn_args(f) for f in (function, partial, Called(), Called().method, functools.partial(function, b=1))]
    assert found == [("a", "b"), ("b",), ("x",), ("a", "b"), ("a",)]
    assert [utils.has_kwargs(f) for f in (function, partial, Called(), Called().method)] == [False, False, True, False]
    assert utils.get_func_name(function) == "function" and utils.get_func_name(Called().method) == "Called.method"
    assert utils.get_func_name(partial) == "<class 'functools.partial'>"
    assert utils.get_func_code(function) is function.__code__ and utils.get_func_code(partial) is None
    assert utils.get_func_code(Called()) is Called.__call__.__code__
    with pytest.raises(TypeError, match="should be a callable"):
        utils.has_kwargs(3)
    with pytest.raises(ValueError, match="must be a callable"):
        utils.get_func_name(3)
