"""Transforms over any axes, for which TensorFlow has no CPU kernel: against NumPy's, and their derivatives."""

import jax
import numpy as np
import pytest
from jax.test_util import check_grads

import tfcompat as tf

X = np.cos(np.arange(24.0)).reshape(2, 3, 4)
Z = X + 1j * np.sin(np.arange(24.0) ** 2).reshape(2, 3, 4)


@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
@pytest.mark.parametrize("lengths, axes", [(None, None), ((4, 2), (0, -1)), (None, (1,))])
@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn"])
def test_transform_over_axes_is_that_of_numpy(name, lengths, axes, norm):
    x = X if name == "rfftn" else Z
    # A plain array would become a tensor of single precision, as in TensorFlow.
    got = getattr(tf.signal, name + "d")(tf.constant(x), lengths, axes, norm)
    expected = getattr(np.fft, name)(x, lengths, range(3) if axes is None else axes, norm)
    assert got.dtype.as_numpy_dtype == expected.dtype
    np.testing.assert_allclose(got.numpy(), expected, atol=1e-12)


@pytest.mark.parametrize("axes", [[0, 0], [3]])
def test_wrong_axes_are_refused(axes):
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.signal.fftnd(Z, axes=axes).numpy()


def test_unknown_norm_is_refused():
    with pytest.raises(ValueError):
        tf.signal.rfftnd(X, norm="up")


@pytest.mark.parametrize("dims", [(4, 2), None])
def test_real_transforms_have_derivatives(dims):
    def there_and_back(x):
        y = tf.signal.rfftnd(tf.convert_to_tensor(x), dims, None if dims is None else [0, 1])
        power = tf.math.real(y * tf.math.conj(y))
        return tf.signal.irfftnd(y * tf.cast(power, y.dtype)).__jax_array__()

    with jax.enable_x64(True):
        check_grads(jax.jit(there_and_back), (X,), order=2, modes=("fwd", "rev"))
