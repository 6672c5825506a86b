"""tensorflow/python/distribute: values.py, ps_values.py. No variable of tfcompat's is of these classes."""


class DistributedVariable:
    """A variable with a part for each replica, which `tf.Variable` keeps here."""


class AggregatingVariable:
    """A variable of a parameter server."""
