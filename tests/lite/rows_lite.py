"""Models converted by `tf.lite`: what the interpreter says of them, and what it computes."""

import os

from rows import raised, row, row_for


def _set_weights(np, model):
    model.set_weights([np.sin(np.arange(w.size) + 1).reshape(w.shape).astype(w.dtype) for w in model.get_weights()])
    return model


def _numbers(np, *shape):
    return np.cos(np.arange(np.prod(shape)) * 1.7).reshape(shape).astype("float32")


def _small(tf, np):
    layers = tf.keras.layers
    return _set_weights(np, tf.keras.Sequential([
        layers.Conv2D(4, 3, activation="relu", input_shape=(8, 8, 3)), layers.MaxPool2D(), layers.Flatten(),
        layers.Dense(150, activation="relu6"), layers.Dense(10, activation="softmax"),
    ]))  # fmt: skip


def _told(details):
    return [
        (d["name"], d["shape"].tolist(), d["shape_signature"].tolist(), d["dtype"].__name__)
        for d in sorted(details, key=lambda d: d["name"])
    ]


def _described(tf, data):
    interpreter = tf.lite.Interpreter(model_content=data)
    interpreter.allocate_tensors()
    inputs, outputs = interpreter.get_input_details(), interpreter.get_output_details()
    return interpreter.get_signature_list(), _told(inputs), _told(outputs)


def _operations(tf, data):
    names = [d["op_name"] for d in tf.lite.Interpreter(model_content=data)._get_ops_details()]
    return [name for name in names if name != "DELEGATE"]


def _computed(tf, data, *inputs):
    """The results, in order of their names, for arrays in the order of the names of inputs."""
    interpreter = tf.lite.Interpreter(model_content=data)
    details = sorted(interpreter.get_input_details(), key=lambda d: d["name"])
    for detail, array in zip(details, inputs, strict=True):
        interpreter.resize_tensor_input(detail["index"], array.shape)
    interpreter.allocate_tensors()
    for detail, array in zip(details, inputs, strict=True):
        interpreter.set_tensor(detail["index"], array)
    interpreter.invoke()
    return [
        interpreter.get_tensor(d["index"]) for d in sorted(interpreter.get_output_details(), key=lambda d: d["name"])
    ]


def _of_function(tf, function, *specs):
    concrete = tf.function(function).get_concrete_function(*specs)
    return tf.lite.TFLiteConverter.from_concrete_functions([concrete]).convert()


@row
def a_keras_model(tf, np):
    data = tf.lite.TFLiteConverter.from_keras_model(_small(tf, np)).convert()
    images = _numbers(np, 3, 8, 8, 3)
    return (
        type(data).__name__, data[4:8].decode(), *_described(tf, data), _operations(tf, data),
        _computed(tf, data, images[:1]), _computed(tf, data, images),
    )  # fmt: skip


@row
def signatures_run(tf, np):
    data = tf.lite.TFLiteConverter.from_keras_model(_small(tf, np)).convert()
    runner = tf.lite.Interpreter(model_content=data).get_signature_runner()
    return {name: x.shape for name, x in runner(conv2d_input=_numbers(np, 2, 8, 8, 3)).items()}


@row
def a_file(tf, np, folder):
    data = tf.lite.TFLiteConverter.from_keras_model(_small(tf, np)).convert()
    path = os.path.join(folder, "model.tflite")
    with open(path, "wb") as file:
        file.write(data)
    interpreter = tf.lite.Interpreter(model_path=path, num_threads=1)
    interpreter.allocate_tensors()
    return interpreter.get_input_details()[0]["shape"]


@row
def several_inputs_and_results(tf, np):
    layers = tf.keras.layers
    a, b = tf.keras.Input((4,), name="a"), tf.keras.Input((3,), name="b")
    results = [layers.Dense(2, name="p")(a), layers.Dense(3, name="q")(layers.Concatenate()([a, b]))]
    data = tf.lite.TFLiteConverter.from_keras_model(_set_weights(np, tf.keras.Model([a, b], results))).convert()
    return *_described(tf, data), _computed(tf, data, _numbers(np, 2, 4), _numbers(np, 2, 3))


@row
def a_function(tf, np):
    data = _of_function(
        tf, lambda x, y: {"sum": x + y, "product": x * y},
        tf.TensorSpec([None, 3], name="u"), tf.TensorSpec([3], name="v"),
    )  # fmt: skip
    return *_described(tf, data), _operations(tf, data), _computed(tf, data, _numbers(np, 2, 3), _numbers(np, 3))


def _module(tf):
    class Scaled(tf.Module):
        def __init__(self):
            super().__init__()
            self.scale = tf.Variable(2.0)

        @tf.function(input_signature=[tf.TensorSpec([None, 3])])
        def multiplied(self, x):
            return {"result": x * self.scale}

        @tf.function(input_signature=[tf.TensorSpec([3])])
        def added(self, x):
            return {"result": x + self.scale}

    return Scaled()


@row_for(keys=[None, ["added"]])
def a_saved_model(tf, np, folder, keys):
    module = _module(tf)
    functions = {name: getattr(module, name).get_concrete_function() for name in ("multiplied", "added")}
    tf.saved_model.save(module, folder, signatures=functions)
    data = tf.lite.TFLiteConverter.from_saved_model(folder, signature_keys=keys).convert()
    signatures, *_ = _described(tf, data)
    runner = tf.lite.Interpreter(model_content=data).get_signature_runner("added")
    return signatures, runner(x=_numbers(np, 3))


@row
def functions_of_a_module(tf, np):
    module = _module(tf)
    functions = [module.multiplied.get_concrete_function(), module.added.get_concrete_function()]
    both = tf.lite.TFLiteConverter.from_concrete_functions(functions, module).convert()
    one = tf.lite.TFLiteConverter.from_concrete_functions(functions[:1], module).convert()
    return _described(tf, both)[0], _described(tf, one)[0], _computed(tf, one, _numbers(np, 2, 3))


# --- quantization -----------------------------------------------------------------------------------------------------


def _quantized(tf, np, kind):
    converter = tf.lite.TFLiteConverter.from_keras_model(_small(tf, np))
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    if kind == "halves":
        converter.target_spec.supported_types = [tf.float16]
    elif kind != "weights":
        converter.representative_dataset = lambda: ([_numbers(np, 1, 8, 8, 3) * k / 8] for k in range(8))
    if kind in ("int8", "uint8"):
        converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
        converter.inference_input_type = converter.inference_output_type = getattr(tf, kind)
    return converter.convert()


@row_for(kind=["weights", "halves", "float", "int8", "uint8"])
def quantized(tf, np, kind):
    data = _quantized(tf, np, kind)
    return *_described(tf, data), sorted({*_operations(tf, data)} - {"DEQUANTIZE"})


@row_for(kind=["weights", "halves", "float"])
def close_when_quantized(tf, np, kind):
    model = _small(tf, np)
    images = _numbers(np, 2, 8, 8, 3)
    (got,) = _computed(tf, _quantized(tf, np, kind), images)
    return bool(abs(got - model(images).numpy()).max() < {"weights": 0.02, "halves": 1e-3, "float": 0.05}[kind])


@row
def integers_tell_their_scale(tf, np):
    interpreter = tf.lite.Interpreter(model_content=_quantized(tf, np, "uint8"))
    (given,), (made,) = interpreter.get_input_details(), interpreter.get_output_details()
    return round(given["quantization"][0], 3), given["quantization"][1], made["quantization"]


@row_for(kind=["weights", "halves", "float"])
def smaller_when_quantized(tf, np, kind):
    whole = tf.lite.TFLiteConverter.from_keras_model(_small(tf, np)).convert()
    return round(len(whole) / len(_quantized(tf, np, kind)))


# --- what layers and operations become --------------------------------------------------------------------------------

_LAYERS = {
    "conv1d": (lambda k: [k.Conv1D(4, 3, dilation_rate=2)], (7, 3)),
    "conv2d": (lambda k: [k.Conv2D(4, 3, strides=2, padding="same", activation="relu6")], (7, 8, 3)),
    "conv2d_transpose": (lambda k: [k.Conv2DTranspose(4, 3, strides=2, padding="same")], (5, 6, 3)),
    "depthwise": (lambda k: [k.DepthwiseConv2D(3, depth_multiplier=2), k.BatchNormalization(), k.ReLU(6.0)], (7, 7, 3)),
    "separable": (lambda k: [k.SeparableConv2D(4, 3, activation="elu")], (7, 7, 3)),
    "pools": (lambda k: [k.MaxPool2D(3, 2, "same"), k.AveragePooling2D(3, 1, "same")], (9, 9, 2)),
    "global_pools": (lambda k: [k.GlobalAveragePooling2D()], (5, 4, 3)),
    "upsampling": (lambda k: [k.UpSampling2D(2), k.UpSampling2D(2, interpolation="bilinear")], (3, 4, 2)),
    "padding": (
        lambda k: [k.ZeroPadding2D(1), k.Cropping2D((0, 1)), k.Permute((2, 1, 3)), k.Reshape((-1, 4))], (4, 6, 2)
    ),
    "dense": (lambda k: [k.Dense(4, activation="gelu"), k.Dropout(0.5), k.Dense(3, activation="swish")], (5,)),
    "dense_3d": (lambda k: [k.Dense(4, activation="tanh"), k.LayerNormalization()], (5, 3)),
    "activations": (lambda k: [k.PReLU(), k.LeakyReLU(0.2), k.ELU(), k.Softmax()], (5,)),
    "embedding": (lambda k: [k.Embedding(10, 4), k.Flatten()], (3,)),
}  # fmt: skip


@row_for(layers=sorted(_LAYERS))
def layers_compute(tf, np, layers):
    make, shape = _LAYERS[layers]
    model = _set_weights(np, tf.keras.Sequential([tf.keras.Input(shape), *make(tf.keras.layers)]))
    data = tf.lite.TFLiteConverter.from_keras_model(model).convert()
    images = _numbers(np, 4, *shape)
    if layers == "embedding":
        images = np.abs(images * 9).astype("int32").astype("float32")
    return _computed(tf, data, images[:1]), _computed(tf, data, images)


@row_for(layer=["SimpleRNN", "LSTM", "GRU"])
def recurrent_layers_compute(tf, np, layer):
    k = tf.keras.layers
    model = tf.keras.Sequential([tf.keras.Input(batch_shape=(2, 5, 3)), getattr(k, layer)(4), k.Dense(2)])
    data = tf.lite.TFLiteConverter.from_keras_model(_set_weights(np, model)).convert()
    return _described(tf, data), _computed(tf, data, _numbers(np, 2, 5, 3))


_OPERATIONS = {
    "elementwise": lambda tf, x: [tf.exp(x), tf.abs(x), tf.sqrt(tf.abs(x)), tf.sin(x), x / 3.0, x // 0.5, tf.sign(x)],
    "reductions": lambda tf, x: [
        tf.reduce_sum(x, 1), tf.reduce_mean(x, [1, 2]), tf.reduce_max(x, 2), tf.reduce_prod(x, 1), tf.norm(x, axis=2),
        tf.reduce_logsumexp(x, 1), tf.reduce_any(x > 0, 1),
    ],
    "order": lambda tf, x: [
        tf.math.top_k(x, 2), tf.argmax(x, 1), tf.argmin(x, 2, tf.int32), tf.sort(x, 2), tf.argsort(x, 1)
    ],
    "shapes": lambda tf, x: [
        tf.transpose(x, [0, 2, 1]), tf.reshape(x, [-1, 12]), tf.concat([x, x], 1), tf.stack([x, x], 1), x[:, 1:, ::2],
        tf.pad(x, [[0, 0], [1, 1], [0, 2]]), tf.tile(x, [1, 2, 1]), tf.reverse(x, [1]), tf.split(x, 2, 2),
        tf.expand_dims(x, 1), tf.zeros([tf.shape(x)[0], 2]) + x[:, :2, 0],
    ],
    "choice": lambda tf, x: [
        tf.where(x > 0, x, 0.5), tf.gather(x, [2, 0], axis=1), tf.one_hot(tf.cast(x[:, :, 0] * 3, tf.int32), 3),
        tf.clip_by_value(x, -0.5, 0.5), tf.maximum(x, 0.1), tf.cast(x * 3, tf.int32),
    ],
    "products": lambda tf, x: [x @ tf.transpose(x, [0, 2, 1]), tf.einsum("bij,bkj->bik", x, x), tf.cumsum(x, 1)],
    "attention": lambda tf, x: tf.nn.softmax(x @ tf.transpose(x, [0, 2, 1]) / 2.0) @ x,
    "condition": lambda tf, x: tf.cond(tf.reduce_sum(x) > 100.0, lambda: x, lambda: -x),
    "loop": lambda tf, x: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * 2.0), [0, x])[1],
}  # fmt: skip


@row_for(operations=sorted(_OPERATIONS))
def operations_compute(tf, np, operations):
    def function(x):
        return tf.nest.flatten(_OPERATIONS[operations](tf, x))

    data = _of_function(tf, function, tf.TensorSpec([None, 3, 4]))
    numbers = _numbers(np, 2, 3, 4)
    return [sorted(map(str, _shapes_and_sums(np, _computed(tf, data, x)))) for x in (numbers[:1], numbers)]


def _shapes_and_sums(np, arrays):
    return [(x.dtype.name, x.shape, round(float(np.sum(x.astype("float64") * 1.5)), 2) + 0.0) for x in arrays]


@row
def other_sizes_unknown(tf, np):
    data = _of_function(tf, lambda x: tf.reduce_sum(x * 2.0, [1, 2]), tf.TensorSpec([None, None, 3]))
    return _described(tf, data)[1], [_computed(tf, data, _numbers(np, *shape)) for shape in ((2, 5, 3), (1, 2, 3))]


# --- errors -----------------------------------------------------------------------------------------------------------


@row
def what_is_refused(tf, np, folder):
    converter = tf.lite.TFLiteConverter
    concrete = tf.function(lambda x: x * 2).get_concrete_function(tf.TensorSpec([2]))
    tf.saved_model.save(tf.Module(), folder)
    return [
        raised(lambda: converter.from_concrete_functions(concrete), "not iterable"),
        raised(lambda: converter.from_concrete_functions([]).convert(), "No ConcreteFunction is specified"),
        raised(lambda: converter.from_concrete_functions([tf.function(lambda x: x)]), "call get_concrete_function"),
        raised(lambda: converter.from_saved_model(os.path.join(folder, "not")), "does not exist"),
        raised(lambda: converter.from_saved_model(folder, ["not"]), "Invalid signature key 'not' found"),
        raised(lambda: converter.from_saved_model(folder, tags=["not"]), "Got an incompatible argument to `tags`"),
        raised(lambda: tf.lite.Interpreter(model_content=b"abc"), "not a valid Flatbuffer"),
    ]


@row
def quantization_that_does_not_go_together(tf, np):
    def with_attributes(**attributes):
        converter = tf.lite.TFLiteConverter.from_keras_model(_small(tf, np))
        ops = attributes.pop("ops", None)
        for name, value in attributes.items():
            setattr(converter, name, value)
        if ops:
            converter.target_spec.supported_ops = ops
        return converter.convert

    default, integers = [tf.lite.Optimize.DEFAULT], tf.lite.OpsSet.TFLITE_BUILTINS_INT8
    return [
        raised(with_attributes(inference_input_type=tf.int8), "must be tf.float32"),
        raised(with_attributes(optimizations=default, inference_input_type=tf.int8), "must be tf.float32"),
        raised(with_attributes(optimizations=default, ops=[integers]), "representative_dataset"),
        raised(with_attributes(optimizations=default, representative_dataset=3)),
    ]


@row
def options(tf):
    converter = tf.lite.TFLiteConverter.from_concrete_functions([])
    spec = tf.lite.TargetSpec(supported_types=[tf.float16])
    return [
        str(tf.lite.Optimize.DEFAULT), tf.lite.OpsSet.get_options(), sorted(converter.optimizations),
        converter.allow_custom_ops, str(converter.representative_dataset),
        sorted(map(str, converter.target_spec.supported_ops)),
        spec.supported_types[0].name, str(spec.experimental_supported_backends), converter.inference_input_type.name,
    ]  # fmt: skip
