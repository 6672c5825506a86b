"""Adversarial training against cleverhans' attacks: a loss a step, then what the strongest attacks reach."""

import numpy as np
import tensorflow as tf
from cleverhans.tf2.attacks.carlini_wagner_l2 import carlini_wagner_l2
from cleverhans.tf2.attacks.fast_gradient_method import fast_gradient_method
from cleverhans.tf2.attacks.momentum_iterative_method import momentum_iterative_method
from cleverhans.tf2.attacks.projected_gradient_descent import projected_gradient_descent
from cleverhans.tf2.attacks.spsa import spsa

tf.keras.utils.set_random_seed(7)
images = np.random.RandomState(7).uniform(size=(64, 6, 6, 1)).astype(np.float32)
labels = (images[:, :3].sum((1, 2, 3)) > images[:, 3:].sum((1, 2, 3))).astype(np.int64)

model = tf.keras.Sequential([
    tf.keras.layers.Conv2D(8, 3, activation="relu", input_shape=(6, 6, 1)),
    tf.keras.layers.Flatten(),
    tf.keras.layers.Dense(2),
])  # fmt: skip
losses = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
optimizer = tf.keras.optimizers.Adam(1e-2)
for step in range(50):
    norm = (np.inf, 2)[step % 2]
    x = projected_gradient_descent(model, tf.constant(images), 0.1, 0.02, 5, norm, rand_init=1.0)
    with tf.GradientTape() as tape:
        loss = losses(labels, model(x))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    print(f"step {step} {loss.numpy():.7f}")

x = tf.constant(images)
attacks = {
    "fast gradient": fast_gradient_method(model, x, 0.1, np.inf),
    "fast gradient, L1": fast_gradient_method(model, x, 0.5, 1),
    "momentum": momentum_iterative_method(model, x, eps=0.1, nb_iter=5),
    "Carlini-Wagner": carlini_wagner_l2(model, images, max_iterations=20, binary_search_steps=3),
    "SPSA": spsa(model, x[:1], y=labels[:1], eps=0.1, nb_iter=3, clip_min=0.0, clip_max=1.0, spsa_samples=8),
}
for name, adversarial in attacks.items():
    adversarial = tf.convert_to_tensor(adversarial)
    print(name, f"{losses(labels[: len(adversarial)], model(adversarial)).numpy():.7f}")
