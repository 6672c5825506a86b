"""Hashes of rows."""

import numpy as np

from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor, host_constant, known_values, static_value
from tfcompat._core.text_hash import fingerprint as hashed
from tfcompat.array._arguments import invalid


@takes_composites("tf.fingerprint")
def fingerprint(data, method="farmhash64", name=None):
    """Hash of each row.

    Args:
      data: tensor of rank at least 1, any dtype.
      method: must be "farmhash64".
      name: ignored.

    Returns:
      uint8 tensor of shape `[rows, 8]`.

    Raises:
      tf.errors.InvalidArgumentError: a scalar, or another method.

    TF: `tf.fingerprint`; no known difference.
    """
    if static_value(method) not in ("farmhash64", b"farmhash64"):
        raise invalid(f"Unsupported fingerprint method: {static_value(method)}")
    array = known_values(convert_to_tensor(data), "call it outside")
    if not array.ndim:
        raise invalid("`data` should have at least one dimension.")
    rows = array.reshape(len(array), -1)
    if array.dtype == object:
        single = array.ndim == 1
        # Texts of a row are hashed one by one, and then their hashes.
        rows = [r[0] if single else b"".join(hashed(x).to_bytes(8, "little") for x in r) for r in rows.tolist()]
    else:
        rows = [row.tobytes() for row in rows]
    result = [list(hashed(row).to_bytes(8, "little")) for row in rows]
    return host_constant(np.array(result, np.uint8).reshape(len(array), 8))
