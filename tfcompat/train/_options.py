"""`tf.train.CheckpointOptions`."""

import inspect

from tfcompat.errors import UnimplementedError


class CheckpointOptions:
    """How checkpoints are written and read.

    Args:
      experimental_io_device: what reads and writes files: `/job:localhost`, the machine of this process, or None.
      experimental_enable_async_checkpoint, enable_async: whether saving may go on after `save` returns. Here it is
        always complete by then.
      experimental_write_callbacks: list of functions to call after each save, with the path or without arguments.
      experimental_skip_slot_variables: must be False.
      experimental_sharding_callback: must be None.

    Raises:
      AssertionError: a callback takes two arguments or more.
      tf.errors.UnimplementedError: another device, or an option that is not available.

    TF: `tf.train.CheckpointOptions`; see above.
    """

    def __init__(self, experimental_io_device=None, experimental_enable_async_checkpoint=False,
                 experimental_write_callbacks=None, enable_async=False, experimental_skip_slot_variables=False,
                 experimental_sharding_callback=None):  # fmt: skip
        refuse(
            "tf.train.CheckpointOptions", experimental_skip_slot_variables=experimental_skip_slot_variables,
            experimental_sharding_callback=experimental_sharding_callback,
        )  # fmt: skip
        check_io_device("tf.train.CheckpointOptions", experimental_io_device)
        for callback in experimental_write_callbacks or ():
            assert len(inspect.signature(callback).parameters) <= 1
        self.experimental_io_device = experimental_io_device
        self.enable_async = self.experimental_enable_async_checkpoint = (
            experimental_enable_async_checkpoint or enable_async
        )
        self.experimental_write_callbacks = experimental_write_callbacks
        self.experimental_skip_slot_variables = experimental_skip_slot_variables
        self.experimental_sharding_callback = experimental_sharding_callback


def saved(options, path):
    """Calls the callbacks of the CheckpointOptions, or None, after a save."""
    for callback in (options and options.experimental_write_callbacks) or ():
        callback(*[path] * len(inspect.signature(callback).parameters))


def refuse(name, **options):
    """Raises tf.errors.UnimplementedError if one of these options of the class `name` is set."""
    for option, value in options.items():
        if value:
            raise UnimplementedError(None, None, f"{name}: {option} is not available in tfcompat")


def check_io_device(name, device):
    """Raises tf.errors.UnimplementedError unless the device is the machine of this process, or None."""
    if device is not None and not str(device).startswith("/job:localhost"):
        raise UnimplementedError(
            None, None, f"{name}: files are read and written by this process: experimental_io_device must be None or "
            f"'/job:localhost', got {device!r}",
        )  # fmt: skip
