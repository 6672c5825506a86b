"""One training step of the gradient-penalty example: `fixed_step`, which the test runs on tfcompat."""

import json
import pathlib
import runpy
from types import SimpleNamespace

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "migration_guide" / "examples"
GOLDEN = ROOT / "tests" / "golden" / "gradient_penalty.json"


def load_example(name):
    """What the example program defines, on what `import tensorflow` finds now."""
    return SimpleNamespace(**runpy.run_path(str(EXAMPLES / f"{name}.py")))


def fixed_step(example):
    """One critic step and one generator gradient, from weights and points given by formula."""
    real, fake, z = (wave(shape, phase) for shape, phase in (((16, 2), 0.1), ((16, 2), 0.7), ((16, 2), 1.3)))
    mix = np.abs(wave((16, 1), 2.1))
    generator, critic = example.build_generator(width=8), example.build_critic(width=8)
    tf = example.tf
    critic(generator(tf.constant(z)))
    for phase, model in enumerate((generator, critic)):
        model.set_weights([0.5 * wave(v.shape, phase + 0.3 * n) for n, v in enumerate(model.get_weights())])

    estimate, penalty, gradients = example.critic_gradients(
        critic, tf.constant(real), tf.constant(fake), tf.constant(mix), strength=10.0
    )
    example.Adam(critic.trainable_variables).apply(gradients)
    ascent = example.generator_gradients(generator, critic, tf.constant(z))
    results = {"estimate": estimate, "penalty": penalty}
    results |= {f"critic_gradient_{n}": g for n, g in enumerate(gradients)}
    results |= {f"critic_after_{n}": v for n, v in enumerate(critic.trainable_variables)}
    results |= {f"generator_gradient_{n}": g for n, g in enumerate(ascent)}
    return {name: value.numpy() for name, value in results.items()}


def wave(shape, phase):
    """Irregular numbers in [-1, 1], the same everywhere."""
    index = np.arange(np.prod(shape), dtype="float64").reshape(shape)
    return np.sin(1.7 * index + phase + np.cos(0.37 * index**2)).astype("float32")


def record(tf, options):
    example = load_example("gradient_penalty")
    results = {name: array.tolist() for name, array in fixed_step(example).items()}
    golden = {"tensorflow": example.tf.__version__, "step": results}
    GOLDEN.write_text(json.dumps(golden).replace('], "', '],\n"') + "\n")
    print(f"{len(results)} results of TensorFlow {example.tf.__version__}: {GOLDEN.name}")
