"""What a table holds, for those who write it down."""

import dataclasses
from typing import Any


@dataclasses.dataclass(frozen=True)
class ConstantTable:
    """Keys and values of a table that does not change, and what other keys get.

    Attributes:
      key_dtype, value_dtype: DTypes.
      keys, values: NumPy arrays.
      default: the value of other keys.
      buckets: how many ids there are for them in place of `default`, by their hash; 0 if none.
      first_bucket: the first of these ids.
    """

    key_dtype: Any
    value_dtype: Any
    keys: Any
    values: Any
    default: Any
    buckets: int = 0
    first_bucket: int = 0
