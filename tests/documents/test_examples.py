"""The guide's worked examples, their text untouched, on tfcompat."""

import json
import re
import subprocess
import sys

import numpy as np
import pytest
from recording.gradient_penalty import EXAMPLES, GOLDEN, fixed_step, load_example

import tfcompat


@pytest.fixture
def example():
    tfcompat.install()
    yield load_example
    tfcompat.uninstall()


@pytest.fixture
def picture(tmp_path):
    path = tmp_path / "picture.png"
    yield path
    assert path.read_bytes().startswith(b"\x89PNG")


def test_input_gradient_regularization_makes_the_model_harder_to_fool(example, picture):
    pytest.importorskip("sklearn")
    result = example("input_gradient_regularization").main(["--steps=150", f"--picture={picture}"])
    alone, penalized = (
        dict(zip(result["sizes"], result[name], strict=True)) for name in ("loss alone", "with the penalty")
    )
    assert min(alone[0.0], penalized[0.0]) > 0.88
    assert alone[0.2] < 0.2
    assert penalized[0.1] > alone[0.1] + 0.15
    assert penalized[0.2] > alone[0.2]
    assert sorted(penalized.values(), reverse=True) == list(penalized.values())


def test_newtons_method_converges_where_gradient_descent_crawls(example, picture):
    result = example("newton_method").main(["--iterations=10", f"--picture={picture}"])
    newton, descent, hessian = result["newton"], result["gradient_descent"], result["hessian"]
    assert newton[0] == pytest.approx(descent[0], rel=1e-6)
    assert newton[-1] < 1e-10
    assert 1e-3 < descent[-1] < descent[0]
    assert all(after <= before for before, after in zip(newton, newton[1:], strict=False))
    assert hessian.shape == (40, 40)
    np.testing.assert_allclose(hessian, hessian.T, atol=1e-5)
    assert np.linalg.eigvalsh(hessian).min() > -1e-4


def _losses(program, *arguments, before=()):
    """The number of devices that a program prints, and the losses of its epochs.

    Gloo writes to the same output from each process, piece by piece: its text may stand within a line of ours.
    """
    command = [sys.executable, "-m", "tfcompat", "run", *before, EXAMPLES / program, *arguments]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    losses = re.findall(r"epoch \d+: loss (\d+\.\d{5})", printed)
    return re.search(r"\d+ (replicas|devices)", printed)[0], [float(loss) for loss in losses]


def test_several_devices_give_the_losses_of_one():
    one, three = (_losses("data_parallel.py", "--epochs=3", before=["--devices", n]) for n in "13")
    assert (one[0], three[0]) == ("1 replicas", "3 replicas")  # 64 rows are 22, 22 and 20
    assert len(one[1]) == 3 and one[1][-1] < 0.9 * one[1][0]
    np.testing.assert_allclose(one[1], three[1], atol=2e-5)


def test_a_spread_transformer_has_the_losses_of_one_device():
    one, two = (_losses("sharded_transformer.py", "--epochs=2", before=["--devices", n]) for n in "12")
    assert (one[0], two[0]) == ("1 devices", "2 devices")
    assert len(one[1]) == 2 and one[1][1] < one[1][0]
    np.testing.assert_allclose(one[1], two[1], rtol=1e-3)


def test_two_processes_have_the_losses_of_one():
    one, two = (_losses("two_hosts.py", "--epochs=2", "--processes", n) for n in "12")
    assert (one[0], two[0]) == ("1 replicas", "2 replicas")
    assert len(one[1]) == 2 and one[1][1] < one[1][0]
    np.testing.assert_allclose(one[1], two[1], atol=2e-5)


def test_generator_under_gradient_penalty_approaches_the_data(example, picture):
    history = example("gradient_penalty").main(["--steps=80", f"--picture={picture}"])
    assert [row["step"] for row in history] == list(range(10, 81, 10))
    assert history[-1]["distance"] < min(0.42, 0.9 * history[0]["distance"])
    assert history[-1]["covered"] >= 6
    assert all(np.isfinite(list(row.values())).all() for row in history)
    assert history[-1]["penalty"] < 0.5


def test_gradient_penalty_step_has_tensorflows_numbers(example):
    recorded = json.loads(GOLDEN.read_text())["step"]
    results = fixed_step(example("gradient_penalty"))
    assert results.keys() == recorded.keys()
    for name, expected in recorded.items():
        assert results[name].dtype == np.float32
        np.testing.assert_allclose(results[name], np.asarray(expected), rtol=2e-4, atol=2e-6, err_msg=name)


def test_gradient_penalty_reaches_every_kernel_of_the_critic(example):
    module = example("gradient_penalty")
    critic = module.build_critic()
    real = module.real_points(np.random.default_rng(0), 8)
    critic(real)
    with module.tf.GradientTape() as tape:
        penalty = module.gradient_penalty(critic, real, real + 1.0, module.tf.fill([8, 1], 0.5))
    gradients = tape.gradient(penalty, critic.trainable_variables)
    kernels, last_bias = gradients[::2], gradients[-1]
    assert all(float(module.tf.norm(gradient)) > 0 for gradient in kernels)
    # It shifts the score and leaves its slope alone: nothing connects it.
    assert last_bias is None


def test_hessian_vector_products_agree_and_drive_truncated_newton(example, picture):
    pytest.importorskip("sklearn")
    result = example("hessian_vector_product").main(["--iterations=12", f"--picture={picture}"])
    assert result["difference"] < 1e-5
    assert result["newton"][-1] < 0.5 * result["gradient_descent"][-1]
    assert result["newton"][0] == result["gradient_descent"][0]
    assert result["correct"] > 0.95


def test_hessian_vector_product_is_the_hessian_times_the_vector(example):
    pytest.importorskip("sklearn")
    module = example("hessian_vector_product")
    tf = module.tf
    model = module.build_model()
    numbers = np.random.default_rng(0)
    x = tf.constant(numbers.normal(size=(6, 2)).astype("float32"))
    y = tf.constant((numbers.uniform(size=(6, 1)) < 0.5).astype("float32"))
    vector = [tf.constant(numbers.normal(size=v.shape).astype("float32")) for v in model.trainable_variables]
    product = module.hessian_vector_product(model, x, y, vector)
    with tf.GradientTape() as outer:
        _, gradients = module.gradient(model, x, y)
    blocks = outer.jacobian(gradients[0], model.trainable_variables)
    expected = sum(
        np.tensordot(block.numpy(), part.numpy(), axes=part.shape.rank)
        for block, part in zip(blocks, vector, strict=True)
        if block is not None
    )
    np.testing.assert_allclose(product[0].numpy(), expected, rtol=1e-4, atol=1e-6)


def test_example_runs_from_the_command_line(tmp_path):
    command = [sys.executable, "-m", "tfcompat", "run", EXAMPLES / "newton_method.py", "--iterations=3"]
    done = subprocess.run(command, text=True, capture_output=True, cwd=tmp_path, timeout=300)
    assert done.returncode == 0, done.stderr
    header, *rows, last = done.stdout.splitlines()
    assert header.split() == ["iteration", "Newton", "gradient", "descent"]
    assert [row.split()[0] for row in rows] == ["0", "1", "2", "3"]
    assert last == "picture: newton.png"
    assert (tmp_path / "newton.png").stat().st_size > 1000
