"""What `tf.function` calls in place of the user's function while it traces it."""

from tfcompat._tracing.status import Status, conversion_status, register_converter
from tfcompat.autograph._errors import explained
from tfcompat.autograph._plain import is_plain


def conversion():
    """The module that converts."""
    # Imported with the first function that needs it: diastatic-malt takes 50 ms.
    from tfcompat.autograph import _conversion

    return _conversion


@register_converter
def _call_converted(function, args, kwargs):
    converter = conversion()
    return converter.converted_call(function, args, kwargs, options=converter.RECURSIVE)


def run(function, features, args, kwargs):
    """`function(*args, **kwargs)`, converted.

    Args:
      function: the user's.
      features: None, or `tf.autograph.experimental.Feature`s.
      args, kwargs: its arguments.
    """
    try:
        with conversion_status.set_to(Status.ENABLED):
            if not features and is_plain(function, args, kwargs):
                return function(*args, **kwargs)
            converter = conversion()
            options = converter.options_of(features, user_requested=True)
            return converter.converted_call(function, args, kwargs, options=options)
    except Exception as error:
        told = explained(error)
        if told is error:
            raise
        raise told  # noqa: B904


def run_unconverted(function, args, kwargs):
    """`function(*args, **kwargs)` as it is, with conversion off for what it calls."""
    with conversion_status.set_to(Status.DISABLED):
        return function(*args, **kwargs)
