"""Keras: arrays that change after the call."""

from rows import row, row_for


def _data(np):
    x = np.linspace(-1, 1, 12).reshape(6, 2).astype(np.float32)
    return x, (x @ [[1.0], [2.0]]).astype(np.float32)


def _model(tf):
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(2,))])
    model.compile(tf.keras.optimizers.SGD(0.1), "mse", metrics=["mae"])
    return model


@row
def after_fit(tf, np):
    model, (x, y) = _model(tf), _data(np)
    history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
    x[:], y[:] = 9, 9
    return history.history, model.get_weights()


@row
def between_epochs(tf, np):
    model, (x, y) = _model(tf), _data(np)

    class Change(tf.keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            y[:] += 1

    history = model.fit(x, y, batch_size=2, epochs=3, shuffle=False, verbose=0, callbacks=[Change()])
    return history.history


@row
def between_batches(tf, np):
    model, (x, y) = _model(tf), _data(np)
    results = []
    for _ in range(3):
        results.append(model.train_on_batch(x, y))
        x *= 2
        y += 1
    return results, model.get_weights()


@row
def after_predict(tf, np):
    model, (x, y) = _model(tf), _data(np)
    result, called = model.predict(x, verbose=0), model(x)
    scores = model.evaluate(x, y, verbose=0)
    x[:], y[:] = 9, 9
    result[0] = 7
    return result, called, scores, model.predict(x, verbose=0)


@row
def weights(tf, np):
    model = _model(tf)
    kernel, bias = np.float32([[1.0], [2.0]]), np.float32([3.0])
    model.set_weights([kernel, bias])
    kernel[:], bias[:] = 9, 9
    seen = model.get_weights()
    seen[0][:] = 8
    layer = tf.keras.layers.Dense(1, weights=[kernel, bias])
    layer(np.zeros([1, 2], np.float32))
    kernel[:] = 7
    return model.get_weights(), layer.get_weights(), model.layers[0].kernel


@row_for(name=["Constant", "Orthogonal"])
def initializers(tf, np, name):
    value = np.float32([1.0, 2.0])
    made = tf.keras.initializers.Constant(2.0) if name == "Constant" else tf.keras.initializers.Orthogonal(seed=1)
    layer = tf.keras.layers.Dense(2, kernel_initializer=made, bias_initializer=tf.constant_initializer(value))
    value[0] = 9
    layer.build([None, 2])
    value[1] = 9
    return layer.bias, tf.abs(tf.reduce_sum(layer.kernel**2))


@row_for(name=["SGD", "Adam", "RMSprop", "Adagrad"])
def gradients_as_arrays(tf, np, name):
    v, g = tf.Variable([1.0, 2.0]), np.float32([0.5, -0.5])
    optimizer = getattr(tf.keras.optimizers, name)(0.1)
    for _ in range(3):
        optimizer.apply_gradients([(tf.constant(g), v)])
        g *= 2
    state = [np.array(x) for x in optimizer.variables]
    before = [x.copy() for x in state]
    for x in state:
        x[...] = 0
    optimizer.apply_gradients([(tf.constant(g), v)])
    return v, before[1:]


@row
def learning_rates(tf, np):
    rate = np.float32(0.1)
    optimizer, v = tf.keras.optimizers.SGD(rate, momentum=0.9), tf.Variable([1.0])
    results = []
    for change in (1.0, 0.5, 2.0):
        optimizer.learning_rate = change * rate
        optimizer.apply_gradients([(tf.constant([1.0]), v)])
        results.append(v.read_value())
    return results


@row
def metrics(tf, np):
    y, p = np.float32([0, 1, 1]), np.float32([0.2, 0.7, 0.4])
    made = [tf.keras.metrics.BinaryAccuracy(), tf.keras.metrics.AUC(), tf.keras.metrics.Mean(),
            tf.keras.metrics.MeanSquaredError()]  # fmt: skip
    for metric in made:
        metric.update_state(*([p] if isinstance(metric, tf.keras.metrics.Mean) and type(metric).__name__ == "Mean"
                              else [y, p]))  # fmt: skip
    y[:], p[:] = 0, 1
    return [metric.result() for metric in made]


@row
def class_and_sample_weights(tf, np):
    model, (x, y) = _model(tf), _data(np)
    of_samples, of_classes = np.ones(6, np.float32), {0: 1.0, 1: 2.0}
    labels = (y > 0).astype(np.float32)
    results = []
    for _ in range(2):
        results.append(model.fit(x, labels, batch_size=3, shuffle=False, verbose=0, sample_weight=of_samples).history)
        results.append(model.fit(x, labels, batch_size=3, shuffle=False, verbose=0, class_weight=of_classes).history)
        of_samples[:3] = 4
        of_classes[0] = 5.0
    return results


@row
def a_checkpoint(tf, np, folder):
    v = tf.Variable([1.0, 2.0])
    path = tf.train.Checkpoint(v=v).save(f"{folder}/c")
    v.assign([5.0, 6.0])
    seen = v.numpy()
    seen[:] = 0
    tf.train.Checkpoint(v=v).restore(path)
    return v


@row
def settings_of_layers(tf, np):
    layer = tf.keras.layers.Dense(2, kernel_initializer="ones", activation="relu")
    x = tf.constant([[1.0, -3.0]])
    before = layer(x)
    layer.activation = tf.math.negative
    dropout = tf.keras.layers.Dropout(0.5)
    dropout.rate = 0.0
    model = _model(tf)
    first = model.predict(x, verbose=0)
    model.layers[0].activation = tf.math.negative
    return before, layer(x), dropout(x, training=True), first, model.predict(x, verbose=0), model(x)
