"""InceptionV3 for images of any size, built and applied to images of two sizes."""

import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(1)
model = tf.keras.applications.InceptionV3(include_top=False, weights=None, input_shape=(None, None, 3))
numbers = np.random.RandomState(0)
outputs = [model(tf.constant(numbers.rand(1, side, side, 3), tf.float32)) for side in (75, 96)]
report = {
    "shape": str(model.output_shape),
    "parameters": model.count_params(),
    "outputs": [[float(tf.reduce_mean(output)), float(tf.norm(output))] for output in outputs],
}
