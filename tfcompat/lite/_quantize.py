"""Quantized models, by `ai-edge-quantizer`."""

import contextlib
import io
import warnings

from tfcompat.lite._errors import ConverterError, needed

_SMALL = 1024  # weights of fewer elements stay as they are, as in TensorFlow, where nothing else is quantized
_CHANNELS = {"num_bits": 8, "symmetric": True, "granularity": "CHANNELWISE", "dtype": "INT"}


def _rule(**config):
    return {
        "regex": ".*", "operation": "*", "algorithm_key": "min_max_uniform_quantize", "op_config": config
    }  # fmt: skip


DYNAMIC = [
    _rule(
        weight_tensor_config=_CHANNELS, compute_precision="INTEGER", explicit_dequantize=False,
        min_weight_elements=_SMALL,
    )
]  # fmt: skip
HALVES = [
    {
        **_rule(
            weight_tensor_config={"num_bits": 16, "symmetric": True, "granularity": "TENSORWISE", "dtype": "FLOAT"},
            compute_precision="FLOAT", explicit_dequantize=True,
        ),
        "algorithm_key": "float_casting",
    }
]  # fmt: skip


def static(bits):
    """The recipe of integers: weights of 8 bits, what is computed of 8 or 16."""
    activations = {"num_bits": bits, "symmetric": bits == 16, "granularity": "TENSORWISE", "dtype": "INT"}
    return [
        _rule(
            activation_tensor_config=activations, weight_tensor_config=_CHANNELS, compute_precision="INTEGER",
            explicit_dequantize=False,
        )
    ]  # fmt: skip


def unquantized(operation):
    """The rule that leaves an operation as it is."""
    return {"regex": ".*", "operation": operation, "algorithm_key": "no_quantize", "op_config": {}}


def quantized(model, recipe, examples=None):
    """The bytes of a quantized model.

    Args:
      model: bytes.
      recipe: list of rules.
      examples: dict from names of signatures to lists of dicts from names of inputs to arrays.

    Raises:
      ConverterError: the quantizer does not take the model.
    """
    try:
        with needed("ai_edge_quantizer"), _quietly():
            return _quantized(bytearray(model), recipe, examples)
    except (ValueError, RuntimeError, KeyError) as error:
        raise ConverterError(f"Could not quantize the model: {error}") from error


def _quantized(model, recipe, examples):
    from ai_edge_quantizer.calibrator import Calibrator
    from ai_edge_quantizer.quantizer import Quantizer
    from ai_edge_quantizer.recipe_manager import RecipeManager
    from ai_edge_quantizer.utils.qsv_utils import min_max_update

    ranges = None
    if examples is not None:
        rules = RecipeManager()
        rules.load_quantization_recipe(recipe)
        # As in TensorFlow the range of all examples counts, where the library would take a moving average.
        calibrator = Calibrator(model, qsv_update_func=min_max_update)
        calibrator.calibrate(examples, rules)
        ranges = calibrator.get_model_qsvs()
    made = Quantizer(model, recipe).quantize(ranges, enable_progress_bar=False, enable_progress_report=False)
    return bytes(made.quantized_model or b"")


@contextlib.contextmanager
def _quietly():
    """Without warnings of the debugging that is part of it, and without bars of progress."""
    with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        yield
