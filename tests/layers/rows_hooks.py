"""Rows: subclasses of Keras's layers that override a method which the parent calls on itself."""

import numpy as np
from rows import raised, row


def _array(*shape, dtype=np.float32):
    return np.sin(np.arange(np.prod(shape)) * 1.7).reshape(shape).astype(dtype)


def _run(tf, layer, *inputs, **options):
    """The outputs with weights of known values, derivatives by inputs and weights, and the weights after."""
    inputs = [tf.constant(x) for x in inputs]
    layer(inputs if len(inputs) > 1 else inputs[0], **options)
    layer.set_weights(
        [np.cos(np.arange(w.size) + i).reshape(w.shape) / 2 + 0.6 for i, w in enumerate(layer.get_weights())]
    )
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        outputs = layer(inputs if len(inputs) > 1 else inputs[0], **options)
        loss = sum(tf.reduce_sum(y * y * y) for y in tf.nest.flatten(outputs))
    return outputs, tape.gradient(loss, inputs + layer.trainable_weights), layer.get_weights()


# --- dropout ----------------------------------------------------------------------------------------------------------


@row
def noise_shape_of_fixed_dropout(tf):
    class FixedDropout(tf.keras.layers.Dropout):
        def _get_noise_shape(self, inputs):
            if self.noise_shape is None:
                return self.noise_shape
            sizes = tf.keras.backend.shape(inputs)
            return tuple(sizes[axis] if size is None else size for axis, size in enumerate(self.noise_shape))

    layer = FixedDropout(0.5, noise_shape=(None, 1, 1, 1), seed=3)
    inputs = tf.keras.Input((2, 3, 2))
    model = tf.keras.Model(inputs, layer(inputs))
    x = np.ones((5, 2, 3, 2), np.float32)
    inside = tf.function(lambda x: layer(x, training=True))
    return (
        layer(x, training=True), layer(x), model(x, training=True), tf.reduce_sum(inside(x)) > 0,
        FixedDropout(0.5, seed=1)(x, training=True),
        _run(tf, FixedDropout(0.3, (1, None, 1, 1), seed=2), x, training=True),
    )  # fmt: skip


@row
def noise_shape_of_any_dropout(tf):
    layers = tf.keras.layers

    def of(base):
        class Shaped(base):
            def _get_noise_shape(self, inputs):
                super()._get_noise_shape(inputs)
                return (tf.shape(inputs)[0], *[1] * (len(inputs.shape) - 1))

        return Shaped

    return [
        _run(tf, of(base)(0.5, seed=4), _array(6, *(2, 2, 2)[:rank], 3), training=True)
        for base, rank in (
            (layers.Dropout, 1), (layers.SpatialDropout1D, 1), (layers.SpatialDropout2D, 2),
            (layers.SpatialDropout3D, 3), (layers.AlphaDropout, 1),
        )
    ]  # fmt: skip


# --- attention --------------------------------------------------------------------------------------------------------


@row
def scores_of_attention(tf):
    layers = tf.keras.layers

    class Scaled(layers.Attention):
        def _calculate_scores(self, query, key):
            return super()._calculate_scores(query, key) / tf.sqrt(tf.cast(tf.shape(key)[-1], query.dtype))

    class Distance(layers.AdditiveAttention):
        def _calculate_scores(self, query, key):
            return -tf.reduce_sum((tf.expand_dims(query, -2) - tf.expand_dims(key, -3)) ** 2 * self.scale, -1)

    class Sharp(layers.Attention):
        def _apply_scores(self, scores, value, scores_mask=None, training=None):
            if scores_mask is not None:
                scores = tf.where(scores_mask, scores, -50.0)
            weights = tf.nn.softmax(3.0 * scores)
            return weights @ value, weights

    class Later(layers.AdditiveAttention):
        def _apply_scores(self, scores, value, scores_mask=None, training=None):
            result, weights = super()._apply_scores(scores * 2.0, value, scores_mask=scores_mask, training=training)
            return result + 1.0, weights

    class Lenient(layers.Attention):
        def _validate_call_args(self, inputs, mask):
            pass

    query, value = _array(2, 3, 4), _array(2, 5, 4)
    mask = [tf.constant([[True, True, False]] * 2), tf.constant([[True, False, True, True, False]] * 2)]
    made = Scaled(), Distance(), Sharp(use_scale=True), Later()
    return [
        [_run(tf, layer, query, value), _run(tf, layer, query, value, mask=mask, return_attention_scores=True)]
        for layer in made
    ] + [_run(tf, Sharp(), query, value, use_causal_mask=True), Lenient()((query, value))]


def _heads(tf, layer, query, value, **options):
    query, value = tf.constant(query), tf.constant(value)
    layer(query, value)
    layer.set_weights([np.cos(np.arange(w.size) + i).reshape(w.shape) / 2 for i, w in enumerate(layer.get_weights())])
    with tf.GradientTape() as tape:
        tape.watch([query, value])
        outputs = layer(query, value, **options)
        loss = sum(tf.reduce_sum(y * y * y) for y in tf.nest.flatten(outputs))
    gradient = tape.gradient(loss, [query, value, *layer.trainable_weights], unconnected_gradients="zero")
    return outputs, gradient, [w.name for w in layer.weights]


@row
def attention_of_several_heads(tf):
    base = tf.keras.layers.MultiHeadAttention

    class Cosine(base):
        def _compute_attention(self, query, key, value, attention_mask=None, training=None):
            query, key = tf.math.l2_normalize(query, -1), tf.math.l2_normalize(key, -1)
            scores = tf.einsum(self._dot_product_equation, key, query) * 4.0
            scores = self._masked_softmax(scores, attention_mask)
            dropped = self._dropout_layer(scores, training=training)
            return tf.einsum(self._combine_equation, dropped, value), scores

    class Scaled(base):
        def _compute_attention(self, query, key, value, attention_mask=None, training=None):
            outputs, scores = super()._compute_attention(2.0 * query, key, value, attention_mask, training)
            return outputs * 0.5, scores

    class Biased(base):
        def _masked_softmax(self, attention_scores, attention_mask=None):
            places = tf.cast(tf.range(tf.shape(attention_scores)[-1]), attention_scores.dtype)
            return super()._masked_softmax(attention_scores - places, attention_mask)

    class Alone(base):
        def _compute_attention_mask(self, query, value, key=None, attention_mask=None, use_causal_mask=False):
            return tf.eye(query.shape[1], value.shape[1]) < 1

    class Strict(base):
        def _compute_causal_mask(self, query, value=None):
            return super()._compute_causal_mask(query, value) & (tf.random.stateless_uniform([1, 3, 5], [1, 2]) > 0.2)

    query, value = _array(2, 3, 4), _array(2, 5, 4)
    mask = np.array([[[True, False, True, True, True]] * 3] * 2)
    return [
        [
            _heads(tf, kind(2, 3), query, value),
            _heads(tf, kind(2, 3, value_dim=2), query, value, attention_mask=mask, return_attention_scores=True),
            _heads(tf, kind(2, 3, output_shape=3), query, value, use_causal_mask=True),
        ]
        for kind in (Cosine, Scaled, Biased, Alone, Strict)
    ]


@row
def projections_of_several_heads(tf):
    base = tf.keras.layers.MultiHeadAttention

    class Ones(base):
        def _get_common_kwargs_for_sublayer(self):
            ones = {"kernel_initializer": "ones", "bias_initializer": "ones"}
            return {**super()._get_common_kwargs_for_sublayer(), **ones}

    class Wide(base):
        def _make_output_dense(self, free_dims, common_kwargs, name=None):
            assert free_dims == 2 and sorted(common_kwargs)[0] == "activity_regularizer"
            return tf.keras.layers.EinsumDense("abcd,cde->abe", output_shape=[None, 7], name=name, **common_kwargs)

    class Encoded(base):
        def _build_from_signature(self, query, value, key=None):
            super()._build_from_signature(query=query, value=value, key=key)
            self._extra = tf.keras.layers.EinsumDense(
                "abc,cd->abd", output_shape=[None, query.shape[-1]], **self._get_common_kwargs_for_sublayer()
            )

        def call(self, query, value, **options):
            outputs = super().call(query, value, **options)
            return outputs + self._extra(query)

        def _build_attention(self, rank):
            super()._build_attention(rank)
            self._softmax = tf.keras.layers.Softmax(axis=-2)

    query, value = _array(2, 3, 4), _array(2, 5, 4)
    again = Wide.from_config(Wide(2, 3).get_config())
    made = Ones(2, 3)
    return [
        made(query, value), [w.name for w in made.weights],
        *[_heads(tf, layer, query, value) for layer in (Ones(2, 3), Wide(2, 3), Encoded(2, 3), again)],
    ]  # fmt: skip


# --- normalization ----------------------------------------------------------------------------------------------------


@row
def moments_of_batches(tf):
    base = tf.keras.layers.BatchNormalization

    class Synchronized(base):
        def _calculate_mean_and_var(self, x, axes, keep_dims, mask=None):
            mean, variance = super()._calculate_mean_and_var(x, axes, keep_dims, mask=mask)
            mean_of_squares = variance + tf.square(mean)
            return mean * 0.9, mean_of_squares - tf.square(mean * 0.9)

    class Moments(base):
        def _moments(self, inputs, reduction_axes, keep_dims, mask=None):
            mean, variance = super()._moments(inputs, reduction_axes, keep_dims=keep_dims, mask=mask)
            return mean + 0.1, variance * 1.5

    class Median(base):
        def _no_sync_calculate_mean_and_var(self, inputs, reduction_axes, keep_dims, mask=None):
            assert mask is None
            highest = tf.reduce_max(inputs, reduction_axes, keepdims=keep_dims)
            return highest / 2, tf.reduce_mean(inputs**2, reduction_axes, keepdims=keep_dims)

    class OfReplicas(base):
        def _sync_calculate_mean_and_var(self, inputs, reduction_axes, keep_dims, mask=None):
            mean, variance = self._no_sync_calculate_mean_and_var(inputs, reduction_axes, keep_dims, mask=mask)
            return mean, variance + 1.0

    found, unfused = [], {"fused": False, "axis": 1}
    for kind in (Synchronized, Moments, Median, OfReplicas):
        for shape, options in (((6, 3), {}), ((2, 3, 2, 4), unfused), ((2, 3, 4), {"axis": [1, 2]})):
            layer = kind(**options, synchronized=kind is OfReplicas)
            found += [_run(tf, layer, _array(*shape), training=True), layer(_array(*shape))]
    picture = Moments()  # fused, so that Keras does not call it
    masked = Moments()
    half = Moments(dtype="float16", fused=False)
    return found + [
        _run(tf, picture, _array(2, 3, 2, 4), training=True), picture.fused,
        _run(tf, masked, _array(2, 4, 3), training=True, mask=np.array([[True, True, False, True]] * 2)),
        half(_array(4, 3).astype(np.float16), training=True),
    ]  # fmt: skip


@row
def averages_of_batches(tf):
    base = tf.keras.layers.BatchNormalization

    class Slow(base):
        def _assign_moving_average(self, variable, value, momentum, inputs_size):
            assert inputs_size is None
            return super()._assign_moving_average(variable, value, 0.5 + momentum / 2, inputs_size)

    class Kept(base):
        def _assign_moving_average(self, variable, value, momentum, inputs_size):
            return variable.assign(value)

    class Halved(base):
        def _assign_new_value(self, variable, value):
            return super()._assign_new_value(variable, value / 2)

    class Whole(base):
        def _fused_batch_norm(self, inputs, mask, training):
            return 2.0 * super()._fused_batch_norm(inputs, mask, training)

    class Always(base):
        def _get_training_value(self, training=None):
            return bool(super()._get_training_value(training)) or True

    flat, picture = _array(6, 3), _array(2, 3, 2, 4)
    found = []
    for kind in (Slow, Kept, Halved, Whole, Always):
        for x in (flat, picture):
            layer = kind(momentum=0.8)
            found += [_run(tf, layer, x, training=True), _run(tf, layer, x), layer.fused]
    return found


@row
def moments_inside_functions_and_training(tf):
    class Moments(tf.keras.layers.BatchNormalization):
        def _moments(self, inputs, reduction_axes, keep_dims, mask=None):
            mean, variance = super()._moments(inputs, reduction_axes, keep_dims, mask)
            return mean * 0.5, variance * 2.0

    model = tf.keras.Sequential([Moments(momentum=0.5), tf.keras.layers.Dense(1, kernel_initializer="ones")])
    model.compile("sgd", "mse")
    x = _array(8, 3)
    history = model.fit(x, x[:, :1], batch_size=4, epochs=2, shuffle=False, verbose=0)
    layer = Moments(momentum=0.5)
    layer(x)
    step = tf.function(lambda x, training: layer(x, training=training))
    return (
        history.history["loss"], model.get_weights(), model.predict(x, verbose=0),
        step(x, tf.constant(True)), layer.get_weights(), step(x, tf.constant(False)), layer.get_weights(),
    )  # fmt: skip


@row
def when_batches_are_fused(tf):
    base = tf.keras.layers.BatchNormalization

    class Never(base):
        def _fused_can_be_used(self):
            return False

    class Complains(base):
        def _raise_if_fused_cannot_be_used(self):
            super()._raise_if_fused_cannot_be_used()
            raise ValueError("not here")

    picture = _array(2, 3, 2, 4)
    layer = base()
    return (
        _run(tf, Never(), picture, training=True), Never().fused, Complains().fused,
        base().fused, base(axis=[1, 2]).fused,
        raised(lambda: Complains(fused=True), "not here"), raised(lambda: base(axis=2, fused=True), "Got axis"),
        layer.renorm, layer.virtual_batch_size, layer.adjustment,
    )  # fmt: skip


@row
def updates_of_batches(tf):
    class Noted(tf.keras.layers.BatchNormalization):
        def add_update(self, updates):
            self.__dict__["noted"] = self.__dict__.get("noted", 0) + 1

    layers = Noted(momentum=0.5), Noted(momentum=0.5)
    return [
        (_run(tf, layer, x, training=True), layer.noted)
        for layer, x in zip(layers, (_array(4, 3), _array(2, 3, 2, 4)), strict=True)
    ]


@row
def when_examples_are_fused(tf):
    class Never(tf.keras.layers.LayerNormalization):
        def _fused_can_be_used(self, ndims):
            self.__dict__["noted"] = ndims, super()._fused_can_be_used(ndims)
            return False

    layer = Never()
    return _run(tf, layer, _array(2, 3, 4)), layer.noted


@row
def groups(tf):
    base = tf.keras.layers.GroupNormalization

    class Interleaved(base):
        def _reshape_into_groups(self, inputs):
            return tf.reverse(super()._reshape_into_groups(inputs), [1])

    class Shifted(base):
        def _apply_normalization(self, *, reshaped_inputs, reshaped_mask, input_shape):
            return 0.5 + super()._apply_normalization(
                reshaped_inputs=reshaped_inputs, reshaped_mask=reshaped_mask, input_shape=input_shape
            )

    class Weighted(base):
        def _get_reshaped_weights(self, input_shape):
            gamma, beta = super()._get_reshaped_weights(input_shape)
            return gamma * 1.5, beta + 0.25

    class Broadcast(base):
        def _create_broadcast_shape(self, input_shape):
            sizes = [1] * tf.keras.backend.int_shape(input_shape)[0]
            sizes[self.axis] = input_shape[self.axis] // self.groups
            sizes.insert(self.axis, self.groups)
            return sizes[:2] + sizes[2:]

    mask = np.array([[[True], [False], [True]]] * 2)
    return [
        [
            _run(tf, kind(2), _array(2, 3, 4)),
            _run(tf, kind(2), _array(2, 3, 4), mask=mask),
            _run(tf, kind(1), _array(3, 6)),
        ]
        for kind in (Interleaved, Shifted, Weighted, Broadcast)
    ]


@row
def inputs_of_normalization(tf):
    class Logarithmic(tf.keras.layers.Normalization):
        def _standardize_inputs(self, inputs):
            return tf.math.log1p(tf.abs(super()._standardize_inputs(inputs)))

    layer = Logarithmic()
    layer.adapt(_array(6, 3))
    return layer.mean, layer.variance, layer(_array(2, 3)), layer.is_adapted


@row
def spectra(tf):
    base = tf.keras.layers.SpectralNormalization

    class Milder(base):
        def normalize_weights(self):
            weights, vector = super().normalize_weights()
            return weights * 0.5, vector

    class Bounded(base):
        def _update_weights(self):
            super()._update_weights()
            self.kernel.assign(tf.clip_by_value(self.kernel, -0.2, 0.2))

    return [_run(tf, kind(tf.keras.layers.Dense(3)), _array(2, 4), training=True) for kind in (Milder, Bounded)]


# --- recurrent layers -------------------------------------------------------------------------------------------------


@row
def steps_of_lstm_cells(tf):
    layers = tf.keras.layers

    class Split(layers.LSTMCell):
        def _compute_carry_and_output(self, x, h_tm1, c_tm1):
            c, o = super()._compute_carry_and_output(x, h_tm1, c_tm1)
            return c * 0.9, o + 0.1

    class Fused(layers.LSTMCell):
        def _compute_carry_and_output_fused(self, z, c_tm1):
            z0, z1, z2, z3 = z
            keep = self.recurrent_activation(z1)
            return keep * c_tm1 + (1.0 - keep) * self.activation(z2) + 0.0 * z0, self.recurrent_activation(z3)

    class Plain(layers.LSTMCell):
        def _compute_carry_and_output_fused(self, z, c_tm1):
            return super()._compute_carry_and_output_fused(z, c_tm1)

    found, plain = [], Plain(2, unit_forget_bias=False)
    for cell in (Split(2, implementation=1), Split(2), Fused(2), Fused(2, implementation=1), plain):
        layer = layers.RNN(cell, return_sequences=True, return_state=True)
        found.append(_run(tf, layer, _array(2, 4, 3)))
    dropping = layers.RNN(Split(2, implementation=1, recurrent_dropout=0.5, dropout=0.5, seed=3))
    return found, dropping(_array(2, 4, 3), training=True).shape.as_list()


@row
def masks_of_cells(tf):
    layers = tf.keras.layers

    def of(base):
        class Dropping(base):
            def _create_dropout_mask(self, inputs, training, count=1):
                masks = [tf.ones_like(inputs) * (0.5 + i) for i in range(count)]
                return masks if count > 1 else masks[0]

            def _create_recurrent_dropout_mask(self, inputs, training, count=1):
                masks = [tf.ones_like(inputs) * (0.25 + i) for i in range(count)]
                return masks if count > 1 else masks[0]

        return Dropping

    options = {"dropout": 0.5, "recurrent_dropout": 0.5}
    return [
        _run(tf, layers.RNN(of(base)(2, **options)), _array(2, 3, 2), training=True)
        for base in (layers.SimpleRNNCell, layers.GRUCell, layers.LSTMCell)
    ]


@row
def inputs_of_recurrent_layers(tf):
    layers = tf.keras.layers

    def of(base):
        class Doubled(base):
            def _process_inputs(self, inputs, initial_state, constants):
                inputs, initial_state, constants = super()._process_inputs(inputs, initial_state, constants)
                return inputs * 2.0, [state + 1.0 for state in initial_state], constants

        return Doubled

    x = _array(2, 4, 3)
    made = [of(kind)(2, return_state=True) for kind in (layers.SimpleRNN, layers.LSTM, layers.GRU)]
    made.append(of(layers.RNN)(layers.GRUCell(2), return_sequences=True))
    found = [_run(tf, layer, x) for layer in made]
    found.append(_run(tf, of(layers.LSTM)(2, recurrent_activation="hard_sigmoid"), x))
    return found + [_run(tf, of(layers.ConvLSTM1D)(2, 2), _array(2, 3, 4, 2))]


@row
def masks_that_stay(tf):
    class Staying(tf.keras.layers.SimpleRNN):
        calls = 0

        def _maybe_reset_cell_dropout_mask(self, cell):
            self.calls += 1

    layer = Staying(3, dropout=0.5)
    x = np.ones((2, 3, 4), np.float32)
    first = layer(x, training=True)
    same = [bool(tf.reduce_all(layer(x, training=True) == first)) for _ in range(3)]
    return same, layer.calls


@row
def states_of_recurrent_layers(tf):
    class Checked(tf.keras.layers.RNN):
        def _validate_state_spec(self, cell_state_sizes, init_state_specs):
            raise ValueError(f"{cell_state_sizes} {len(tf.nest.flatten(init_state_specs))}")

    layer = Checked(tf.keras.layers.LSTMCell(2))
    state = [tf.zeros((1, 2))] * 2
    return raised(lambda: layer(_array(1, 2, 3), initial_state=state), "[2, 2] 2")


@row
def directions(tf):
    layers = tf.keras.layers

    class Other(layers.Bidirectional):
        def _recreate_layer_from_config(self, layer, go_backwards=False):
            made = super()._recreate_layer_from_config(layer, go_backwards=go_backwards)
            made.cell.activation = tf.keras.activations.get("relu" if go_backwards else "sigmoid")
            return made

    class Unchecked(layers.Bidirectional):
        def _verify_layer_config(self):
            self.checked = True

    other = layers.SimpleRNN(2, go_backwards=False, name="other")
    unchecked = Unchecked(layers.SimpleRNN(2), backward_layer=other)
    x = _array(2, 3, 2)
    return _run(tf, Other(layers.SimpleRNN(2)), x), _run(tf, unchecked, x), unchecked.checked


@row
def times_distributed(tf):
    class Noted(tf.keras.layers.TimeDistributed):
        def _get_shape_tuple(self, init_tuple, tensor, start_idx):
            shape = super()._get_shape_tuple(init_tuple, tensor, start_idx)
            self.__dict__.setdefault("noted", []).append([int(size) for size in shape])
            return shape

        def _remove_timesteps(self, dims):
            self.__dict__["removed"] = dims.as_list()
            return super()._remove_timesteps(dims)

    layer = Noted(tf.keras.layers.Dense(2, kernel_initializer="ones"))
    y = layer(_array(2, 3, 4))
    return y, layer.noted, layer.removed


# --- convolutions, pooling, shapes ------------------------------------------------------------------------------------


@row
def convolutions(tf):
    layers = tf.keras.layers

    class Symmetric(layers.Conv1D):
        def _compute_causal_padding(self, inputs):
            (batch, (left, _), channels) = super()._compute_causal_padding(inputs)
            return [batch, [left // 2, left - left // 2], channels]

    class SymmetricToo(layers.SeparableConv1D):
        def _compute_causal_padding(self, inputs):
            (batch, (left, _), channels) = super()._compute_causal_padding(inputs)
            return [batch, [left // 2, left - left // 2], channels]

    class Standardized(layers.Conv2D):
        def convolution_op(self, inputs, kernel):
            mean, variance = tf.nn.moments(kernel, axes=[0, 1, 2], keepdims=True)
            return super().convolution_op(inputs, (kernel - mean) / tf.sqrt(variance + 1e-6))

    class Plain(layers.Conv2D):
        def _jit_compiled_convolution_op(self, inputs, kernel):
            return 2.0 * self.convolution_op(inputs, tf.repeat(kernel, 2, axis=2)[:, :, : inputs.shape[-1]])

    class Partly(layers.Conv2D):
        def _get_input_channel(self, input_shape):
            return super()._get_input_channel(input_shape) - 1

        def call(self, inputs):
            return self.convolution_op(inputs[..., 1:], self.kernel)

        def _get_channel_axis(self):
            return super()._get_channel_axis()

    class Shaped(layers.Conv2D):
        def _spatial_output_shape(self, spatial_input_shape):
            return [size and size + 1 for size in super()._spatial_output_shape(spatial_input_shape)]

    x, picture = _array(2, 6, 3), _array(2, 4, 4, 3)
    partly = Partly(2, 2)
    return (
        _run(tf, Symmetric(2, 3, padding="causal"), x), _run(tf, SymmetricToo(2, 3, padding="causal"), x),
        _run(tf, Standardized(2, 2), picture), Plain(3, 2, groups=1)(picture).shape.as_list(),
        partly.build((None, 4, 4, 3)), partly.kernel.shape.as_list(),
        Shaped(2, 2).compute_output_shape((None, 4, 5, 3)).as_list(),
    )  # fmt: skip


@row
def groups_of_channels(tf):
    class Doubled(tf.keras.layers.Conv2D):
        def _jit_compiled_convolution_op(self, inputs, kernel):
            halves = zip(tf.split(inputs, 2, axis=-1), tf.split(kernel, 2, axis=-1), strict=True)
            return 2.0 * tf.concat([self.convolution_op(x, k) for x, k in halves], -1)

    return _run(tf, Doubled(4, 2, groups=2), _array(2, 4, 4, 2))


@row
def axes_of_channels(tf):
    layers = tf.keras.layers
    found = []
    for base in (layers.Conv2D, layers.Conv2DTranspose, layers.DepthwiseConv2D, layers.SeparableConv2D):

        class Noted(base):
            def _get_channel_axis(self):
                self.__dict__["noted"] = True
                return super()._get_channel_axis()

        made = [2, 2] if base is not layers.DepthwiseConv2D else [2]
        layer = Noted(*made)
        found += [layer(_array(1, 3, 3, 2)).shape.as_list(), layer.noted]
    return found


@row
def pooling_of_nothing(tf):
    layers = tf.keras.layers
    found = []
    for rank in (1, 2, 3):
        for kind in ("Max", "Average"):

            class Any(getattr(layers, f"Global{kind}Pooling{rank}D")):
                def _validate_reduction_axis(self, input_shape, axes):
                    self.__dict__["noted"] = list(input_shape), list(axes)

            layer = Any()
            found += [layer(np.ones((2, *(0, 3, 3)[:rank], 4), np.float32)).shape.as_list(), layer.noted]
    return found


@row
def shapes_of_reshape(tf):
    class Padded(tf.keras.layers.Reshape):
        def _fix_unknown_dimension(self, input_shape, output_shape):
            return [size + 1 for size in super()._fix_unknown_dimension(input_shape, output_shape)]

    return Padded((-1, 2)).compute_output_shape((3, 4, 2)).as_list(), Padded((8,))(_array(1, 4, 2))


@row
def shapes_of_merges(tf):
    layers = tf.keras.layers

    def of(base):
        class Noted(base):
            def _compute_elemwise_op_output_shape(self, shape1, shape2):
                self.__dict__.setdefault("noted", []).append((list(shape1), list(shape2)))
                return (*super()._compute_elemwise_op_output_shape(shape1, shape2), 9)

        return Noted

    found = []
    for base in (layers.Add, layers.Multiply, layers.Maximum, layers.Average):
        layer = of(base)()
        found += [layer([_array(2, 1, 3), _array(2, 4, 1)]), layer.noted]
        found.append(layer.compute_output_shape([(2, 1, 3), (2, 4, 1)]))
    return [tuple(x) if isinstance(x, tuple) else x.as_list() if hasattr(x, "as_list") else x for x in found]


# --- others -----------------------------------------------------------------------------------------------------------


@row
def variables_of_lambda(tf):
    kept = tf.Variable(2.0, name="kept")

    class Tolerant(tf.keras.layers.Lambda):
        def _check_variables(self, created_variables, accessed_variables):
            self.__dict__["seen"] = len(created_variables), [v.name for v in accessed_variables]

    def with_new(x):
        return x + tf.Variable(1.0) * kept

    one, other = Tolerant(lambda x: x * kept), Tolerant(with_new)
    return _run(tf, one, _array(2, 3)), one.seen, other(_array(2, 3)), other.seen[0]


@row
def bins_of_hashes(tf):
    class Modulo(tf.keras.layers.Hashing):
        def _hash_values_to_bins(self, values):
            return tf.cast(values, tf.int64) % self.num_bins

    x = np.array([[1, 7], [12, 30]])
    sparse = tf.sparse.from_dense(x)
    return Modulo(5)(x), Modulo(4, output_mode="multi_hot")(x), Modulo(5)(sparse).values


@row
def functions_that_adapt(tf):
    layers = tf.keras.layers
    data = _array(5, 2)

    class Twice(layers.Normalization):
        def make_adapt_function(self):
            step = super().make_adapt_function()

            def both(iterator):
                step(iterator)
                self.__dict__["taken"] = self.__dict__.get("taken", 0) + 1

            return both

        def compile(self, run_eagerly=None, steps_per_execution=None):
            self.__dict__["compiled"] = True
            super().compile(run_eagerly=True, steps_per_execution=steps_per_execution)

    class Shifted(layers.Discretization):
        def make_adapt_function(self):
            def step(iterator):
                batch = next(iterator) + 1.0
                self._adapt_maybe_build(batch)
                self.update_state(batch)

            self._run_eagerly = True
            return step

    class Built(layers.Normalization):
        def _adapt_maybe_build(self, data):
            if not self.built:
                self.build((None, 2))
            super()._adapt_maybe_build(data)

    class Own(layers.experimental.preprocessing.PreprocessingLayer):
        total = 0.0

        def update_state(self, data):
            self.total += float(tf.reduce_sum(data))

        def reset_state(self):
            self.total = 0.0

        def compile(self, run_eagerly=None, steps_per_execution=None):
            super().compile(True, steps_per_execution)

        def call(self, inputs):
            return inputs + self.total

    class Steps(layers.IntegerLookup):
        def _configure_steps_per_execution(self, steps_per_execution):
            self.__dict__["configured"] = steps_per_execution
            super()._configure_steps_per_execution(steps_per_execution)

    steps = Steps()
    steps.compile(steps_per_execution=2)
    steps.adapt(np.array([[3, 3], [4, 3], [5, 4], [9, 9]]), batch_size=1, steps=None)
    twice, shifted, built, own = Twice(), Shifted(num_bins=3), Built(), Own()
    twice.adapt(data, batch_size=2)
    shifted.adapt(data, batch_size=2)
    built.adapt(tf.data.Dataset.from_tensor_slices(data).batch(2), steps=2)
    own.adapt(data)
    return (
        twice.mean, twice.variance, twice.taken, twice.compiled, twice.is_adapted, list(shifted.bin_boundaries),
        built.mean, built.variance, own(data), steps.configured, [int(i) for i in steps.get_vocabulary()],
    )  # fmt: skip


@row
def values_of_initializers(tf):
    initializers = tf.keras.initializers
    found = []
    for base in (initializers.GlorotUniform, initializers.HeNormal, initializers.VarianceScaling):

        class Scaled(base):
            def _generate_init_val(self, shape, dtype, nonce):
                return 2.0 * super()._generate_init_val(shape, dtype, nonce)

        found += [Scaled(seed=3)((2, 3)), tf.keras.layers.Dense(2, kernel_initializer=Scaled(seed=1))(_array(2, 3))]

    class Turned(initializers.Orthogonal):
        def _generate_init_val(self, shape, dtype):
            return -super()._generate_init_val(shape=shape, dtype=dtype)

    class Shifted(initializers.Identity):
        def _generate_init_val(self, shape, dtype):
            return super()._generate_init_val(shape, dtype) + 1.0

    class Silent(initializers.GlorotNormal):
        def _warn_reuse(self):
            self.reused = True

    silent = Silent()
    return found, Turned(seed=2)((3, 3)), Shifted(2.0)((2, 2)), silent((2, 2)).shape.as_list(), silent.reused
