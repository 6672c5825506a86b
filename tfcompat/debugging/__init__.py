"""`tf.debugging`: assertions.

What follows from shapes and dtypes is checked at once. Checks of values look at them: eagerly at once, inside a
function when it is called, which then computes before it returns.
"""

from tfcompat._package.missing import missing as _missing
from tfcompat.debugging._asserts import Assert as Assert
from tfcompat.debugging._asserts import assert_all_finite as assert_all_finite
from tfcompat.debugging._asserts import assert_equal as assert_equal
from tfcompat.debugging._asserts import assert_greater as assert_greater
from tfcompat.debugging._asserts import assert_greater_equal as assert_greater_equal
from tfcompat.debugging._asserts import assert_integer as assert_integer
from tfcompat.debugging._asserts import assert_less as assert_less
from tfcompat.debugging._asserts import assert_less_equal as assert_less_equal
from tfcompat.debugging._asserts import assert_near as assert_near
from tfcompat.debugging._asserts import assert_negative as assert_negative
from tfcompat.debugging._asserts import assert_non_negative as assert_non_negative
from tfcompat.debugging._asserts import assert_non_positive as assert_non_positive
from tfcompat.debugging._asserts import assert_none_equal as assert_none_equal
from tfcompat.debugging._asserts import assert_positive as assert_positive
from tfcompat.debugging._asserts import assert_proper_iterable as assert_proper_iterable
from tfcompat.debugging._asserts import assert_rank as assert_rank
from tfcompat.debugging._asserts import assert_rank_at_least as assert_rank_at_least
from tfcompat.debugging._asserts import assert_rank_in as assert_rank_in
from tfcompat.debugging._asserts import assert_same_float_dtype as assert_same_float_dtype
from tfcompat.debugging._asserts import assert_scalar as assert_scalar
from tfcompat.debugging._asserts import assert_shapes as assert_shapes
from tfcompat.debugging._asserts import assert_type as assert_type
from tfcompat.debugging._asserts import check_numerics as check_numerics
from tfcompat.debugging._asserts import disable_check_numerics as disable_check_numerics
from tfcompat.debugging._asserts import disable_traceback_filtering as disable_traceback_filtering
from tfcompat.debugging._asserts import enable_check_numerics as enable_check_numerics
from tfcompat.debugging._asserts import enable_traceback_filtering as enable_traceback_filtering
from tfcompat.debugging._asserts import get_log_device_placement as get_log_device_placement
from tfcompat.debugging._asserts import is_numeric_tensor as is_numeric_tensor
from tfcompat.debugging._asserts import is_traceback_filtering_enabled as is_traceback_filtering_enabled
from tfcompat.debugging._asserts import set_log_device_placement as set_log_device_placement

__getattr__ = _missing("tf.debugging")
