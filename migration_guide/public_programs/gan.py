"""ydata-synthetic: a Wasserstein GAN with gradient penalty on a table; a pair of losses an epoch, then samples."""

import os
import tempfile

import numpy as np
import pandas as pd
import tensorflow as tf
from ydata_synthetic.synthesizers import ModelParameters, TrainParameters
from ydata_synthetic.synthesizers.regular.wgangp.model import WGAN_GP

os.chdir(tempfile.mkdtemp())  # it writes weights and summaries where it runs
tf.keras.utils.set_random_seed(13)
numbers = np.random.normal(size=(40, 3)) * [1.0, 2.0, 0.5]
table = pd.DataFrame(numbers, columns=["a", "b", "c"]).assign(d=np.where(numbers[:, 0] > 0, "yes", "no"))
parameters = ModelParameters(batch_size=16, lr=5e-4, betas=(0.5, 0.9), noise_dim=8, layers_dim=16)
gan = WGAN_GP(parameters, n_critic=2)
gan.fit(table, TrainParameters(epochs=50, cache_prefix="gan", sample_interval=100), ["a", "b", "c"], ["d"])
noise = tf.random.normal([16, 8])
for row in gan.generator(noise).numpy()[:3]:
    print("sample", *(f"{value:.6f}" for value in row))
