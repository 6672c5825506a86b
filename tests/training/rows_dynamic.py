"""Rows: models with layers that need values."""

from rows import raised, row_for


@row_for(kind=["functional", "sequential", "subclass"])
def layers_that_need_values(tf, np, kind):
    class Counted(tf.keras.layers.Layer):
        def __init__(self):
            super().__init__(dynamic=True)
            self.seen = []

        def call(self, inputs):
            self.seen.append(float(inputs.numpy().sum()) if hasattr(inputs, "numpy") else None)
            return inputs * 2.0

        def compute_output_shape(self, shape):
            return shape

    class Own(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.layer, self.out = counted, out

        def call(self, inputs):
            return self.out(self.layer(inputs))

    counted, out, inputs = Counted(), tf.keras.layers.Dense(1, kernel_initializer="ones"), tf.keras.Input((2,))
    model = {
        "functional": lambda: tf.keras.Model(inputs, out(counted(inputs))),
        "sequential": lambda: tf.keras.Sequential([counted, out]),
        "subclass": Own,
    }[kind]()
    model.compile(tf.keras.optimizers.legacy.SGD(0.01), "mse")
    losses = model.fit(np.ones((4, 2)), np.ones((4, 1)), batch_size=2, verbose=0).history
    model.compile("sgd", "mse", run_eagerly=False)
    refused = raised(lambda: model.run_eagerly, "layers that can only be successfully run in eager execution")
    return model.dynamic, losses, [each for each in counted.seen if each is not None][-2:], refused
