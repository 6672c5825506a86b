"""What `tf.function` calls in place of the user's function while it traces it."""

from tfcompat.autograph._errors import explained
from tfcompat.autograph._plain import is_plain
from tfcompat.autograph._status import Status, having


def run(function, features, args, kwargs):
    """`function(*args, **kwargs)`, converted.

    Args:
      function: the user's.
      features: None, or `tf.autograph.experimental.Feature`s.
      args, kwargs: its arguments.
    """
    try:
        with having(Status.ENABLED):
            if not features and is_plain(function, args, kwargs):
                return function(*args, **kwargs)
            from tfcompat.autograph import _conversion

            options = _conversion.options_of(features, user_requested=True)
            return _conversion.converted_call(function, args, kwargs, options=options)
    except Exception as error:
        told = explained(error)
        if told is error:
            raise
        raise told  # noqa: B904


def run_unconverted(function, args, kwargs):
    """`function(*args, **kwargs)` as it is, with conversion off for what it calls."""
    with having(Status.DISABLED):
        return function(*args, **kwargs)
