"""Options of saving and loading."""
from tfcompat.train._options import check_io_device, refuse


class SaveOptions:
    """Options of `tf.saved_model.save`.

    Args:
      function_aliases: dict from names to tf.functions or concrete functions, which are saved under these names beside
        the attributes; or None.
      experimental_custom_gradients: whether gradients defined by `tf.custom_gradient` are saved. Without them
        the loaded function raises LookupError when it is differentiated.
      experimental_io_device: device that writes the files: `/job:localhost`, the machine of this process, or None.
      others: TF's other options; refused unless they have TF's default.

    Attributes:
      gradient_order: how often a loaded function can be differentiated, 2 unless it is set to another number; each
        order makes the files larger. It is no argument, since TF's files have no such limit.

    TF: `tf.saved_model.SaveOptions`.
    """

    def __init__(self, namespace_whitelist=None, save_debug_info=False, function_aliases=None,
                 experimental_debug_stripper=False, experimental_io_device=None, experimental_variable_policy=None,
                 experimental_custom_gradients=True, experimental_image_format=False, experimental_skip_saver=False,
                 experimental_sharding_callback=None, extra_tags=None):  # fmt: skip
        refuse(
            "tf.saved_model.SaveOptions", experimental_variable_policy=experimental_variable_policy,
            experimental_image_format=experimental_image_format, experimental_skip_saver=experimental_skip_saver,
            experimental_sharding_callback=experimental_sharding_callback, extra_tags=extra_tags,
        )  # fmt: skip
        check_io_device("tf.saved_model.SaveOptions", experimental_io_device)
        self.experimental_io_device = experimental_io_device
        self.function_aliases = dict(function_aliases or {})
        # These concern TF's protocol buffers, which are not written.
        self.namespace_whitelist, self.save_debug_info = namespace_whitelist or [], save_debug_info
        self.experimental_debug_stripper = experimental_debug_stripper
        self.experimental_custom_gradients = experimental_custom_gradients
        self.gradient_order = 2


class LoadOptions:
    """Options of `tf.saved_model.load`.

    Args:
      experimental_load_function_aliases: whether what is loaded has the attribute `function_aliases`, a dict of the
        functions that were saved by these names.
      experimental_io_device: device that reads the files: `/job:localhost`, the machine of this process, or None.
      others: TF's other options; refused unless they have TF's default.

    Attributes:
      run_stablehlo: whether StableHLO programs in a model of TensorFlow (`XlaCallModule`) are run, False unless it is
        set. A program that was made to do harm can crash the process that reads it. It is no argument, since
        TensorFlow always runs them.

    TF: `tf.saved_model.LoadOptions`.
    """

    def __init__(self, allow_partial_checkpoint=False, experimental_io_device=None,
                 experimental_skip_checkpoint=False, experimental_variable_policy=None,
                 experimental_load_function_aliases=False):  # fmt: skip
        refuse(
            "tf.saved_model.LoadOptions", allow_partial_checkpoint=allow_partial_checkpoint,
            experimental_skip_checkpoint=experimental_skip_checkpoint,
            experimental_variable_policy=experimental_variable_policy,
        )  # fmt: skip
        check_io_device("tf.saved_model.LoadOptions", experimental_io_device)
        self.experimental_io_device = experimental_io_device
        self.experimental_load_function_aliases = experimental_load_function_aliases
        self.run_stablehlo = False
