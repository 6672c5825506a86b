"""`tf.config.optimizer`: TensorFlow's graph optimizer; here XLA optimizes, always."""

from tfcompat._package.missing import missing as _missing

_jit = ""
_options: dict = {}


def get_jit():
    """What was asked for: "" or "autoclustering"; XLA compiles everything. TF: `tf.config.optimizer.get_jit`."""
    return _jit


def set_jit(enabled):
    """Notes the request, without effect: XLA compiles everything.

    Args:
      enabled: bool, or "autoclustering".

    TF: `tf.config.optimizer.set_jit`.
    """
    global _jit
    _jit = "autoclustering" if enabled else ""


def get_experimental_options():
    """What was asked for. TF: `tf.config.optimizer.get_experimental_options`."""
    return dict(_options)


def set_experimental_options(options):
    """Notes the request, without effect on values. TF: `tf.config.optimizer.set_experimental_options`."""
    _options.update(options)


__getattr__ = _missing("tf.config.optimizer")
