"""A classifier and what saliency and tf-explain say of it: a loss and an attribution a step, then the other methods."""

import numpy as np
import saliency.core as saliency
import tensorflow as tf
from tf_explain.core.integrated_gradients import IntegratedGradients
from tf_explain.core.occlusion_sensitivity import OcclusionSensitivity
from tf_explain.core.smoothgrad import SmoothGrad
from tf_explain.core.vanilla_gradients import VanillaGradients

tf.keras.utils.set_random_seed(3)
images = np.random.uniform(size=(16, 8, 8, 3)).astype(np.float32)
labels = (images[..., 0].sum((1, 2)) > images[..., 1].sum((1, 2))).astype(np.int64)

model = tf.keras.Sequential([
    tf.keras.layers.Conv2D(6, 3, activation="softplus", input_shape=(8, 8, 3)),
    tf.keras.layers.MaxPool2D(),
    tf.keras.layers.Flatten(),
    tf.keras.layers.Dense(2, activation="softmax"),
])  # fmt: skip
losses = tf.keras.losses.SparseCategoricalCrossentropy()
optimizer = tf.keras.optimizers.Adam(1e-2)


def call_model(x, call_model_args=None, expected_keys=None):
    x = tf.convert_to_tensor(x, tf.float32)
    with tf.GradientTape() as tape:
        tape.watch(x)
        output = model(x)[:, 1]
    gradients = tape.gradient(output, x)
    return {saliency.INPUT_OUTPUT_GRADIENTS: gradients.numpy(), saliency.OUTPUT_LAYER_VALUES: output.numpy()}


for step in range(50):
    with tf.GradientTape() as tape:
        loss = losses(labels, model(images))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    mask = saliency.IntegratedGradients().GetMask(images[0], call_model, x_steps=10, batch_size=10)
    print(f"step {step} {loss.numpy():.7f} {mask.sum():.7f} {np.abs(mask).sum():.7f}")

methods = {
    "gradient, smoothed": lambda: saliency.GradientSaliency().GetSmoothedMask(images[0], call_model, nsamples=5),
    "blurred integrated gradients": lambda: saliency.BlurIG().GetMask(images[0], call_model, steps=5),
    "occlusion": lambda: saliency.Occlusion().GetMask(images[0], call_model, size=3),
    "tf-explain, integrated gradients": lambda: IntegratedGradients.get_integrated_gradients(
        IntegratedGradients.generate_interpolations(images[:2], 5), model, 1, 5
    ),
    "tf-explain, smoothed": lambda: SmoothGrad.get_averaged_gradients(
        SmoothGrad.generate_noisy_images(images[:2], 3, 0.1), model, 1, 3
    ),
    "tf-explain, gradients": lambda: VanillaGradients.compute_gradients(images[:2], model, 1),
    "tf-explain, occlusion": lambda: OcclusionSensitivity().get_sensitivity_map(model, images[0], 1, 4),
}
for name, method in methods.items():
    result = np.asarray(method(), np.float64)
    print(name, result.shape, f"{result.mean():.7f} {np.abs(result).max():.7f}")
