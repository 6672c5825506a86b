"""`tf.config.threading`: how many threads TensorFlow's executor uses; XLA has settings of its own."""

from tfcompat._package.missing import missing as _missing

_threads = {"inter": 0, "intra": 0}


def get_inter_op_parallelism_threads():
    """What was asked for; 0 lets XLA decide. TF: `tf.config.threading.get_inter_op_parallelism_threads`."""
    return _threads["inter"]


def set_inter_op_parallelism_threads(num_threads):
    """Notes the request, without effect: programs are fused. TF: `tf.config.threading.set_inter_op_...`."""
    _threads["inter"] = int(num_threads)


def get_intra_op_parallelism_threads():
    """What was asked for; 0 lets XLA decide. TF: `tf.config.threading.get_intra_op_parallelism_threads`."""
    return _threads["intra"]


def set_intra_op_parallelism_threads(num_threads):
    """Notes the request, without effect: XLA uses the cores that the process may use.

    TF: `tf.config.threading.set_intra_op_parallelism_threads`.
    """
    _threads["intra"] = int(num_threads)


__getattr__ = _missing("tf.config.threading")
