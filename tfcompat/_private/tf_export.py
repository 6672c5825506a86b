"""tensorflow/python/util/tf_export.py: decorators that name a function's place in an API."""


def _export(*names, **options):
    return lambda target: target


tf_export = keras_export = estimator_export = _export
