"""Rows: names, numbering, tracking, losses, `training`, input checks and dtypes of layers."""

import numpy as np
from rows import names, ones, raised, row


@row
def names_are_numbered_by_class(tf):
    layers = tf.keras.layers
    made = [
        layers.Dense(1),
        layers.Dense(1),
        layers.ReLU(),
        layers.PReLU(),
        layers.ELU(),
        layers.Dense(1, name="mine"),
    ]
    made += [layers.Dense(1), layers.BatchNormalization(), tf.keras.Sequential(), tf.keras.Sequential()]
    return names(made)


@row
def clear_session_restarts_the_numbering(tf):
    first = [tf.keras.layers.Dense(1).name for _ in range(2)]
    tf.keras.backend.clear_session()
    return first, tf.keras.layers.Dense(1).name


@row
def names_of_own_classes(tf):
    class HTTPLayer2D(tf.keras.layers.Layer):
        pass

    class _Private(tf.keras.layers.Layer):
        pass

    return HTTPLayer2D().name, _Private().name, HTTPLayer2D().name


@row
def names_of_weights(tf):
    dense = tf.keras.layers.Dense(2)
    dense(ones(1, 3))
    norm = tf.keras.layers.BatchNormalization()
    norm(ones(1, 3))
    return names(dense.weights), names(norm.weights), names(norm.trainable_variables)


@row
def names_of_weights_built_by_hand(tf):
    dense = tf.keras.layers.Dense(2)
    dense.build((None, 3))
    dense(ones(1, 3))
    return names(dense.weights), dense.built


@row
def names_in_a_name_scope(tf):
    with tf.name_scope("outer"):
        dense = tf.keras.layers.Dense(2)
        dense(ones(1, 3))
        variable = tf.Variable(1.0, name="v")
    return names(dense.weights), variable.name


@row
def names_of_nested_layers(tf):
    class Inner(tf.keras.layers.Layer):
        def __init__(self):
            super().__init__()
            self.dense = tf.keras.layers.Dense(2)

        def call(self, inputs):
            return self.dense(inputs)

    class Outer(tf.keras.layers.Layer):
        def __init__(self):
            super().__init__()
            self.inner = Inner()

        def build(self, input_shape):
            self.made = tf.Variable(1.0, name="made")
            self.added = self.add_weight("added", shape=())
            self.unnamed = self.add_weight(shape=())

        def call(self, inputs):
            return self.inner(inputs) * self.made

    outer = Outer()
    outer(ones(1, 3))
    return names(outer.weights), names(outer.submodules)


def _tracked(tf, self):
    layers = tf.keras.layers
    self.nest = {
        "z": layers.Dense(1, name="z"),
        "a": layers.Dense(1, name="a"),
        "m": [layers.Dense(1, name="m")],
    }
    self.pair = (layers.Dense(1, name="t"), tf.Variable(1.0, name="tv"))
    self.first = tf.Variable(1.0, name="own")
    self.fixed = tf.Variable(1.0, trainable=False, name="fixed")
    self.module = tf.Module(name="module")
    self.module.v = tf.Variable(1.0, name="mv")
    self.module.u = tf.Variable(1.0, name="mu", trainable=False)
    self.late = []
    self.late.append(layers.Dense(1, name="late"))
    self.late.append(tf.Variable(2.0, name="lv"))
    self.nest["b"] = layers.Dense(1, name="b")


def _build_all(self, shape):
    for layer in self._flatten_layers(include_self=False):
        layer.build(shape)


def _listed(layer):
    kinds = [layer.weights, layer.trainable_weights, layer.non_trainable_weights, layer.submodules]
    numbers = {id(variable): i for i, variable in enumerate(layer.weights)}
    return [names(kind) for kind in kinds], [numbers[id(variable)] for variable in layer.trainable_variables]


@row
def weights_in_containers_of_a_layer(tf):
    class Holder(tf.keras.layers.Layer):
        def __init__(self):
            super().__init__()
            _tracked(tf, self)

        def build(self, input_shape):
            self.add_weight("added", ())
            _build_all(self, input_shape)

    holder = Holder()
    holder(ones(1, 2))
    before = _listed(holder)
    holder.trainable = False
    return before, _listed(holder)


@row
def weights_in_containers_of_a_model(tf):
    class Holder(tf.keras.Model):
        def __init__(self):
            super().__init__()
            _tracked(tf, self)

        def call(self, inputs):
            _build_all(self, inputs.shape)
            return inputs

    holder = Holder()
    holder(ones(1, 2))
    before = _listed(holder), names(holder.layers)
    holder.trainable = False
    return before, _listed(holder)


@row
def attributes_replaced_and_deleted(tf):
    class Holder(tf.keras.layers.Layer):
        pass

    holder, dense = Holder(), tf.keras.layers.Dense
    holder.a, holder.b = dense(1, name="a1"), dense(1, name="b1")
    holder.v, holder.u = tf.Variable(1.0, name="v1"), tf.Variable(1.0, name="u")
    holder.a, holder.v = dense(1, name="a2"), tf.Variable(2.0, name="v2")
    seen = [(names(holder._flatten_layers(include_self=False)), names(holder.weights))]
    del holder.b
    holder.other = holder.a
    holder.a = 3
    holder.v = None
    seen.append((names(holder._flatten_layers(include_self=False)), names(holder.weights)))
    return seen


@row
def attribute_that_is_a_property(tf):
    dense = tf.keras.layers.Dense(1)
    return raised(lambda: setattr(dense, "weights", 3), "Can't set the attribute")


@row
def shared_layer_counts_once(tf):
    class Twice(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.a = tf.keras.layers.Dense(2)
            self.b = self.a

        def call(self, inputs):
            return self.b(self.a(inputs))

    twice = Twice()
    twice(ones(1, 2))
    return names(twice.weights), len(twice.layers), twice.count_params()


def _probe(tf, seen):
    class Probe(tf.keras.layers.Layer):
        def call(self, inputs, training=None):
            seen.append(training)
            return inputs

    return Probe()


@row
def training_given_or_not(tf):
    seen = []
    probe = _probe(tf, seen)
    probe(ones(2))
    probe(ones(2), training=True)
    probe(ones(2), True)
    probe(ones(2), training=False)
    probe(ones(2), training=None)
    probe(ones(2), training=1)
    return seen


@row
def training_passed_down(tf):
    seen = []

    class Around(tf.keras.layers.Layer):
        def __init__(self):
            super().__init__()
            self.probe = _probe(tf, seen)

        def call(self, inputs):
            return self.probe(inputs)

    class Default(Around):
        def call(self, inputs, training=True):
            return self.probe(inputs)

    class Reversed(Around):
        def call(self, inputs, training):
            return self.probe(inputs, training=not training)

    class Keywords(Around):
        def call(self, inputs, **kwargs):
            seen.append(kwargs["training"])
            return self.probe(inputs)

    for kind in (Around, Default, Reversed, Keywords):
        kind()(ones(2))
        kind()(ones(2), training=True)
        kind()(ones(2), training=False)
    _probe(tf, seen)(ones(2))
    return seen


@row
def training_does_not_leak_after_an_error(tf):
    seen = []

    class Fails(tf.keras.layers.Layer):
        def call(self, inputs, training=None):
            raise KeyError("oops")

    error = raised(lambda: Fails()(ones(2), training=True), "oops")
    _probe(tf, seen)(ones(2))
    return error, seen


@row
def losses_of_regularizers(tf):
    layer = tf.keras.layers.Dense(
        1,
        kernel_regularizer=tf.keras.regularizers.l2(0.1),
        bias_regularizer="l1",
        activity_regularizer="l2",
        kernel_initializer="ones",
    )
    before = list(layer.losses)
    layer(ones(3, 2))
    layer(ones(3, 2))
    return before, layer.losses


@row
def losses_added_in_call(tf):
    class Adds(tf.keras.layers.Layer):
        def __init__(self):
            super().__init__()
            self.dense = tf.keras.layers.Dense(1, kernel_initializer="ones", kernel_regularizer="l2")

        def call(self, inputs):
            self.add_loss(tf.reduce_sum(inputs))
            self.add_loss([1.0, None, tf.constant(2.0)])
            return self.dense(inputs)

    adds = Adds()
    adds(ones(1, 2))
    first = list(adds.losses)
    adds(2 * ones(1, 2))
    return first, adds.losses


@row
def gradient_of_losses(tf):
    layer = tf.keras.layers.Dense(1, kernel_regularizer="l1_l2", kernel_initializer="ones")
    layer(ones(1, 3))
    with tf.GradientTape() as tape:
        total = tf.add_n(layer.losses)
    return tape.gradient(total, layer.trainable_variables)


@row
def loss_outside_of_call(tf):
    layer = tf.keras.layers.Dense(1)
    return raised(lambda: layer.add_loss(tf.constant(1.0)), "zero argument `lambda`")


@row
def input_of_wrong_size(tf):
    dense = tf.keras.layers.Dense(2)
    dense(ones(1, 3))
    return raised(
        lambda: dense(ones(1, 4)),
        'Input 0 of layer "dense" is incompatible with the layer: expected axis -1 of input shape to have '
        "value 3, but received input with shape (1, 4)",
    )


@row
def input_of_wrong_rank(tf):
    return [
        raised(
            lambda: tf.keras.layers.Dense(2)(ones(3)),
            "expected min_ndim=2, found ndim=1. Full shape received: (3,)",
        ),
        raised(lambda: tf.keras.layers.Dense(2)(3.0), "expected min_ndim=2, found ndim=0"),
        raised(lambda: tf.keras.layers.Permute((2, 1))(ones(2, 3)), "expected ndim=3, found ndim=2"),
        raised(lambda: tf.keras.layers.Flatten()(1.0), "expected min_ndim=1, found ndim=0"),
    ]


@row
def input_that_is_no_tensor(tf):
    return [
        raised(lambda: tf.keras.layers.Dense(2)("text"), "Inputs to a layer should be tensors"),
        raised(lambda: tf.keras.layers.Dense(2)(None), "Inputs to a layer should be tensors"),
        raised(
            lambda: tf.keras.layers.Dense(2)(), "The first argument to `Layer.call` must always be passed."
        ),
        raised(
            lambda: tf.keras.layers.Dense(2)([[1.0, 2.0]]),
            "expects 1 input(s), but it received 2 input tensors",
        ),
        raised(lambda: tf.keras.layers.Dense(2)(ones(1, 2), 3), "takes 2 positional arguments"),
        raised(lambda: tf.keras.layers.Dense(2)(ones(1, 2), mask=None), "unexpected keyword argument 'mask'"),
    ]


@row
def input_spec_of_own_layer(tf):
    InputSpec = tf.keras.layers.InputSpec

    class Own(tf.keras.layers.Layer):
        def __init__(self, **spec):
            super().__init__()
            self.input_spec = InputSpec(**spec)

    return [
        repr(InputSpec(shape=(None, 3), dtype="float32")),
        raised(lambda: Own(shape=(None, 3))(ones(2, 4)), "expected shape=(None, 3), found shape=(2, 4)"),
        raised(lambda: Own(dtype="int32")(ones(2, 4)), "expected dtype=int32, found dtype="),
        raised(lambda: Own(max_ndim=1)(ones(2, 4)), "expected max_ndim=1, found ndim=2"),
        raised(lambda: InputSpec(ndim=2, axes={3: 1}), "Axis 3 is greater than the maximum allowed value: 1"),
        raised(
            lambda: setattr(tf.keras.layers.Dense(1), "input_spec", 3), "must be an instance of InputSpec"
        ),
        Own(shape=(None, 3))(ones(2, 3)),
    ]


@row
def arguments_of_the_constructor(tf):
    layers = tf.keras.layers
    return [
        raised(lambda: layers.Dense(2, foo=1), "Keyword argument not understood:"),
        raised(lambda: layers.Dense(2, name=3), "Expected `name` argument to be a string, but got: 3"),
        raised(
            lambda: layers.Dense(2, trainable=3), "Expected `trainable` argument to be a boolean, but got: 3"
        ),
        raised(
            lambda: layers.Dense(-2), "Received an invalid value for `units`, expected a positive integer"
        ),
        raised(lambda: layers.Dense(2, activation="nope"), "Unknown activation function 'nope'"),
        raised(
            lambda: layers.Dense(2, activation=3), "Could not interpret activation function identifier: 3"
        ),
        raised(lambda: layers.Dense(2, kernel_initializer="nope"), "Unknown initializer: 'nope'"),
        raised(lambda: layers.Dense(2, kernel_constraint="nope"), "Unknown constraint: 'nope'"),
        raised(
            lambda: layers.Dense(2, dtype="int32")(ones(1, 2)),
            "can only be built with a floating-point dtype",
        ),
        raised(lambda: layers.Dropout(2.0), "Invalid value 2.0 received for `rate`"),
        raised(lambda: layers.Permute((2, 0)), "must be consecutive and start from 1"),
        raised(lambda: layers.RepeatVector("a"), "Expected an integer value for `n`"),
        raised(lambda: layers.Embedding(0, 3), "Both `input_dim` and `output_dim` should be positive"),
        raised(lambda: layers.BatchNormalization(axis="a"), "Expected an int or a list/tuple of ints"),
        raised(lambda: layers.BatchNormalization(axis=7)(ones(2, 2)), "Expected 0 <= axis < inputs.rank"),
        raised(lambda: layers.BatchNormalization(axis=[1, 1])(ones(2, 2, 2)), "Duplicate axis: (1, 1)"),
        raised(
            lambda: layers.BatchNormalization(fused=True)(ones(2, 2)), "only support 4D or 5D input tensors"
        ),
        raised(lambda: layers.ReLU(max_value=-1.0), "max_value of a ReLU layer cannot be a negative value"),
        raised(lambda: layers.LeakyReLU(None), "Expecting a float"),
        raised(lambda: layers.Softmax()(ones(3)), "Cannot apply softmax to a tensor that is 1D"),
        raised(lambda: layers.Dot("a"), "Invalid type for argument `axes`"),
        raised(lambda: layers.Flatten(data_format="nope"), '"channels_first", "channels_last"'),
    ]


@row
def inputs_of_merge_layers(tf):
    layers = tf.keras.layers
    return [
        raised(lambda: layers.Add()(ones(2, 3)), "A merge layer should be called on a list of inputs"),
        raised(lambda: layers.Add()([ones(2, 3), ones(2, 4)]), "Inputs have incompatible shapes"),
        raised(
            lambda: layers.Add()([ones(2, 3), ones(3, 3)]), "Cannot merge tensors with different batch sizes"
        ),
        raised(lambda: layers.Subtract()([ones(2, 3)] * 3), "should be called on exactly 2 inputs"),
        raised(
            lambda: layers.Concatenate()([ones(2, 3), ones(3, 3)]), "requires inputs with matching shapes"
        ),
        raised(lambda: layers.Dot(1)([ones(2, 3), ones(2, 4)]), "Incompatible input shapes: axis values 3"),
        raised(
            lambda: layers.Add()([ones(2, 3), ones(2, 3, dtype="int64")]), "was expected to be a float tensor"
        ),
        [f([ones(2, 3), ones(2, 3)]) for f in (layers.add, layers.subtract, layers.multiply, layers.average)],
        layers.concatenate([ones(1, 2), ones(1, 1)], axis=1),
        layers.dot([ones(1, 2), ones(1, 2)], 1),
    ]


@row
def errors_in_call_name_the_layer(tf):
    class Fails(tf.keras.layers.Layer):
        def call(self, inputs, factor=2.0):
            raise ValueError("oops")

    class Around(tf.keras.layers.Layer):
        def __init__(self):
            super().__init__()
            self.inner = Fails()

        def call(self, inputs):
            return self.inner(inputs)

    class OwnError(Exception):
        def __init__(self, a, b):
            super().__init__(a)

    class FailsOwn(tf.keras.layers.Layer):
        def call(self, inputs):
            raise OwnError("mine", 2)

    told = (
        "Exception encountered when calling layer 'fails' (type Fails).\n\noops\n\nCall arguments received "
        "by layer 'fails' (type Fails):\n  • inputs=tf.Tensor(shape=(2,), dtype=float32)\n  • factor=2.0"
    )
    return [
        raised(lambda: Around()(ones(2)), told),
        raised(lambda: FailsOwn()(ones(2)), "Exception encountered when calling layer 'fails_own'", "mine"),
        raised(
            lambda: tf.keras.layers.Reshape((5,))(ones(2, 3)),
            "Exception encountered when calling layer 'reshape'",
        ),
        raised(lambda: tf.keras.layers.Embedding(2, 3)(ones(1, dtype="int32") * 7), "= 7 is not in [0, 2)"),
    ]


@row
def constructor_without_super(tf):
    class Forgets(tf.keras.layers.Layer):
        def __init__(self):
            pass

    return raised(lambda: Forgets()(ones(2)), "You must call `super().__init__()` in the layer constructor.")


@row
def layer_without_call(tf):
    class Nothing(tf.keras.layers.Layer):
        pass

    return Nothing()(ones(2)), tf.keras.layers.Layer()([1.0, 2.0])


@row
def dtypes_of_layers(tf):
    layers = tf.keras.layers
    plain, wide = layers.Dense(1), layers.Dense(1, dtype=tf.float64)
    results = [plain(ones(1, 2, dtype="float64")), wide(ones(1, 2)), plain(ones(1, 2, dtype="int32"))]
    kept = layers.Activation("relu", autocast=False)(ones(1, dtype="float64"))
    whole = layers.Activation("linear")(ones(1, dtype="int32"))
    return [r.dtype.name for r in (*results, *plain.weights, *wide.weights, kept, whole)], [
        plain.dtype,
        plain.compute_dtype,
        plain.variable_dtype,
        wide.dtype,
        repr(plain.dtype_policy),
    ]


@row
def floatx_is_the_default_dtype(tf):
    backend = tf.keras.backend
    try:
        backend.set_floatx("float64")
        dense = tf.keras.layers.Dense(1)
        result = dense(ones(1, 2))
    finally:
        backend.set_floatx("float32")
    return [
        result.dtype.name,
        backend.floatx(),
        backend.epsilon(),
        backend.image_data_format(),
        raised(lambda: backend.set_floatx("int32"), "Unknown `floatx` value: int32"),
    ]


@row
def add_weight(tf):
    layer = tf.keras.layers.Layer()
    weight = layer.add_weight("w", shape=(2,), initializer="ones", constraint=tf.keras.constraints.NonNeg())
    count = layer.add_weight("n", shape=[], dtype="int32", trainable=False)
    flag = layer.add_weight(name="f", dtype=tf.bool, trainable=False)
    on_read = layer.add_weight("r", synchronization=tf.VariableSynchronization.ON_READ, initializer="zeros")
    return [
        weight,
        count,
        flag,
        weight.constraint(-ones(2)),
        on_read.trainable,
        names(layer.trainable_weights),
        names(layer.non_trainable_weights),
        raised(lambda: layer.add_weight("s", dtype=tf.string), "An initializer for variable s"),
        raised(lambda: layer.add_weight("t", foo=1), "Unknown keyword argument:"),
    ]


@row
def build_gets_a_shape(tf):
    seen = []

    class Own(tf.keras.layers.Layer):
        def build(self, input_shape):
            seen.append(type(input_shape).__name__ + str(input_shape))
            self.w = self.add_weight("w", shape=(input_shape[-1],), initializer="ones")

        def call(self, inputs):
            return inputs * self.w

    own = Own()
    own(ones(2, 3))
    own(ones(4, 3))
    by_hand = Own()
    by_hand.build((None, 3))
    return seen, names(own.weights), names(by_hand.weights), by_hand.built


@row
def layers_made_in_call(tf):
    class Lazy(tf.keras.layers.Layer):
        def call(self, inputs):
            if not hasattr(self, "dense"):
                self.dense = tf.keras.layers.Dense(2)
            return self.dense(inputs)

    lazy = Lazy()
    lazy(ones(1, 3))
    lazy(ones(1, 3))
    return names(lazy.weights)


@row
def initial_weights(tf):
    dense = tf.keras.layers.Dense(2, weights=[ones(3, 2), ones(2)])
    return dense(ones(1, 3)), dense.get_weights()


@row
def count_params(tf):
    dense = tf.keras.layers.Dense(2)
    error = raised(
        dense.count_params, "You tried to call `count_params` on layer dense, but the layer isn't built."
    )
    dense(ones(1, 3))
    return error, dense.count_params()


@row
def attributes_before_build(tf):
    dense = tf.keras.layers.Dense(2)
    return (
        raised(lambda: dense.kernel, "'Dense' object has no attribute 'kernel'"),
        dense.weights,
        dense.built,
    )


@row
def several_inputs(tf):
    class Pair(tf.keras.layers.Layer):
        def build(self, input_shape):
            self.sizes = [shape[-1] for shape in input_shape]

        def call(self, inputs, factor=1.0):
            first, second = inputs
            return factor * (tf.reduce_sum(first) + tf.reduce_sum(second))

    pair = Pair()
    return pair([ones(1, 2), ones(1, 3)]), pair((ones(1, 2), ones(1, 3)), factor=2.0), list(pair.sizes)


@row
def inputs_by_keyword_and_in_a_dict(tf):
    class Named(tf.keras.layers.Layer):
        def call(self, inputs):
            return inputs["a"] + inputs["b"]

    return Named()(inputs={"a": ones(2), "b": 2.0})


@row
def compute_output_shape(tf):
    class Own(tf.keras.layers.Layer):
        def __init__(self):
            super().__init__()
            self.dense = tf.keras.layers.Dense(2)

        def call(self, inputs):
            return tf.concat([self.dense(inputs), inputs], -1)

    layers = tf.keras.layers
    return [
        str(Own().compute_output_shape((None, 3))),
        str(layers.Dense(4).compute_output_shape((None, 2, 3))),
        str(layers.Reshape((-1, 2)).compute_output_shape((None, None, 4))),
        str(layers.Reshape((-1, 2)).compute_output_shape((None, 3, 4))),
        str(layers.Lambda(lambda x: x[:, 0]).compute_output_shape((None, 3))),
        raised(lambda: layers.Dense(3).compute_output_shape((None, None)), "should be defined. Found None"),
        raised(lambda: layers.Reshape((5,)).compute_output_shape((None, 4)), "total size of new array"),
    ]


@row
def gradient_of_embedding(tf):
    layer = tf.keras.layers.Embedding(4, 2, embeddings_initializer="ones")
    with tf.GradientTape() as tape:
        total = tf.reduce_sum(layer(ones(2, 1, dtype="int32")) * 2.0)
    (gradient,) = tape.gradient(total, layer.trainable_variables)
    return type(gradient).__name__, tf.convert_to_tensor(gradient)


@row
def assignment_to_a_weight(tf):
    dense = tf.keras.layers.Dense(2, kernel_initializer="ones")
    dense(ones(1, 3))
    dense.kernel.assign_add(ones(3, 2))
    return dense(ones(1, 3)), raised(lambda: dense.kernel.assign(ones(2, 2)), "Shape mismatch")


@row
def softmax_with_a_mask(tf):
    mask = tf.constant([[True, False, True], [True, True, False]])
    x = tf.reshape(tf.range(6.0), (2, 3))
    return [tf.keras.layers.Softmax(robust_masking=robust)(x, mask=mask) for robust in (False, True)]


@row
def variable_as_input(tf):
    variable = tf.Variable(ones(2, 3))
    dense = tf.keras.layers.Dense(1, kernel_initializer="ones")
    with tf.GradientTape() as tape:
        result = dense(variable)
    wide = tf.keras.layers.Dense(1, kernel_initializer="ones")(tf.Variable(ones(2, 3, dtype="float64")))
    return result, tape.gradient(result, variable), wide


@row
def windows_that_do_not_fit(tf):
    layers = tf.keras.layers
    return [
        raised(lambda: layers.Conv2D(2, (1, 2, 3)), "The `kernel_size` argument must be a tuple of 2 integers"),
        raised(lambda: layers.Conv2D(2, 0), "does not satisfy the requirement"),
        raised(lambda: layers.Conv2D(0, 1), "Expected a strictly positive value"),
        raised(lambda: layers.Conv2D(3, 1, groups=2), "must be evenly divisible by the number of groups"),
        raised(lambda: layers.Conv2D(2, 2, strides=2, dilation_rate=2), "not supported in conjunction with"),
        raised(lambda: layers.Conv2D(2, 2, padding="causal"), "Causal padding is only supported for"),
        raised(lambda: layers.Conv2D(2, 2, padding="none"), 'must be a list/tuple or one of "valid", "same"'),
        raised(lambda: layers.Conv2D(2, 5)(ones(1, 3, 3, 1)), "One of the dimensions in the output is <= 0"),
        raised(lambda: layers.Conv2D(2, 2)(ones(1, 3, 3)), "expected min_ndim=4, found ndim=3"),
        raised(lambda: layers.Conv2DTranspose(2, 2, 2, output_padding=2), "Strides must be greater than"),
        raised(lambda: layers.Conv2DTranspose(2, 2)(ones(1, 3, 3)), "expected min_ndim=4"),
        raised(lambda: layers.MaxPooling2D()(ones(1, 3, 3)), "expected ndim=4, found ndim=3"),
        raised(lambda: layers.GlobalMaxPooling1D()(ones(1, 0, 3)), "with dimension 0 at reduction axis 1"),
        raised(lambda: layers.ZeroPadding2D((1, 2, 3)), "`padding` should have two elements"),
        raised(lambda: layers.Cropping2D(2)(ones(1, 4, 3, 1)), "must be greater than the input shape"),
        raised(lambda: layers.GroupNormalization(3)(ones(1, 2)), "cannot be more than the number of channels"),
        raised(lambda: layers.GroupNormalization(2)(ones(1, 3)), "must be a multiple of the number of channels"),
        raised(lambda: layers.Normalization(mean=1.0), "both `mean` and `variance` must be set"),
        raised(lambda: layers.UnitNormalization(axis=3)(ones(1, 3)), "Invalid value for `axis` argument"),
        *(
            layers.UpSampling2D(interpolation=method)(np.arange(4.0, dtype="float32").reshape(1, 2, 2, 1))
            for method in ("bilinear", "bicubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic")
        ),
    ]


@row
def other_names_of_layers(tf):
    layers = tf.keras.layers
    same = [
        (layers.MaxPool2D, layers.MaxPooling2D),
        (layers.AvgPool1D, layers.AveragePooling1D),
        (layers.GlobalAvgPool2D, layers.GlobalAveragePooling2D),
        (layers.Convolution2D, layers.Conv2D),
    ]
    return [one is other for one, other in same]


@row
def moments_of_data(tf):
    layer = tf.keras.layers.Normalization(axis=-1)
    data = np.arange(24.0, dtype="float32").reshape(6, 4) ** 1.5
    layer.adapt(data, batch_size=4)
    first = layer(data[:2])
    layer.adapt(data[:3])
    return first, layer(data[:2]), layer.get_weights()[2], layer.get_config()["mean"]


@row
def variables_by_a_getter_of_the_layer(tf):
    class Doubled(tf.keras.layers.Dense):
        def _add_variable_with_custom_getter(self, name, **kwargs):
            made = kwargs.pop("getter")

            def getter(*args, **options):
                variable = made(*args, **options)
                variable.assign(2.0 * variable)
                return variable

            if name == "kernel":
                kwargs["getter"] = getter
            else:
                kwargs["getter"] = made
            return super()._add_variable_with_custom_getter(name, **kwargs)

    layer = Doubled(2, kernel_initializer="ones", bias_initializer="ones")
    return layer(ones(1, 3)), [v.name for v in layer.weights]
