"""`tf.keras.export.ExportArchive`: a SavedModel with endpoints of one's own."""

import os

from tfcompat import saved_model
from tfcompat._core.dependencies import Dependent
from tfcompat._core.module import Module
from tfcompat._core.variable import Variable
from tfcompat.function import function
from tfcompat.function._function import Function
from tfcompat.keras.callbacks._messages import print_message
from tfcompat.layers import Layer


class ExportArchive:
    """Functions and what they use, to be written as a SavedModel for TensorFlow and tfcompat.

        archive = tf.keras.export.ExportArchive()
        archive.track(model)
        archive.add_endpoint("serve", model.call, [tf.TensorSpec([None, 2])])
        archive.write_out("folder")

    TF: `tf.keras.export.ExportArchive` of Keras 2.
    """

    def __init__(self):
        self._root, self._tracked, self._endpoints = Module(), [], {}

    def track(self, resource):
        """Adds a layer, model, module, variable or table, whose variables endpoints use.

        Raises:
          ValueError: it is none; a layer is not built.
        """
        if not isinstance(resource, Dependent | Variable):
            raise ValueError(
                "Invalid resource type. Expected an instance of a TensorFlow `Trackable` (such as a TF-Keras `Layer` "
                f"or `Model`). Received instead an object of type '{type(resource)}'. Object received: {resource}"
            )
        if isinstance(resource, Layer):
            if not resource.built:
                raise ValueError("The layer provided has not yet been built. It must be built before export.")
            for name in ("variables", "trainable_variables", "non_trainable_variables"):
                vars(self._root).setdefault(name, []).extend(getattr(resource, name))
        self._tracked.append(resource)
        vars(self._root)["_tracked"] = self._tracked

    def add_endpoint(self, name, fn, input_signature=None):
        """Adds a function as a method of the model that is loaded, and as a signature.

        Args:
          name: str. Without an endpoint of that name, the first one is also `serving_default`.
          fn: function, or `tf.function`.
          input_signature: list of TensorSpec; needed, but for a `tf.function` that was called.

        Raises:
          ValueError: the name is taken, or the signature is missing.
        """
        if name in self._endpoints:
            raise ValueError(f"Endpoint name '{name}' is already taken.")
        if input_signature is not None:
            fn = function(fn, input_signature=input_signature)
        elif not isinstance(fn, Function):
            raise ValueError(
                "If the `fn` argument provided is not a `tf.function`, you must provide an `input_signature` argument "
                "to specify the shape and dtype of the function arguments."
            )
        elif not fn.experimental_get_tracing_count():
            raise ValueError(
                f"The provided tf.function '{fn}' has never been called. To specify the expected shape and dtype of "
                "the function's arguments, you must either provide a function that has been called at least once, or "
                "alternatively pass an `input_signature` argument in `add_endpoint()`."
            )
        vars(self._root)[name] = self._endpoints[name] = fn

    def add_variable_collection(self, name, variables):
        """Adds variables as an attribute of the model that is loaded, a list.

        Raises:
          ValueError: they are no list, tuple or set of variables.
        """
        if not isinstance(variables, list | tuple | set):
            raise ValueError(
                "Expected `variables` to be a list/tuple/set. Received instead object of type "
                f"'{type(variables)}'."
            )
        others = [type(v) for v in variables if not isinstance(v, Variable)]
        if others:
            raise ValueError(
                "Expected all elements in `variables` to be `tf.Variable` instances. Found instead the following "
                f"types: {others}"
            )
        vars(self._root)[name] = list(variables)

    def write_out(self, filepath, options=None):
        """Writes the SavedModel.

        Args:
          filepath: path of the folder.
          options: `tf.saved_model.SaveOptions`, or None.

        Raises:
          ValueError: there are no endpoints.
        """
        if not self._endpoints:
            raise ValueError("No endpoints have been set yet. Call add_endpoint().")
        signatures = {"serving_default": next(iter(self._endpoints.values())), **self._endpoints}
        saved_model.save(self._root, os.fspath(filepath), signatures, options)
        tell_endpoints(os.fspath(filepath), self._endpoints)


def tell_endpoints(path, endpoints):
    """Prints where functions were saved, and what they take and give.

    Args:
      path: of the folder.
      endpoints: dict from names to Functions.
    """
    texts = []
    for name, endpoint in endpoints.items():
        concrete = endpoint._list_all_concrete_functions()[0]
        _, _, text = concrete.pretty_printed_signature().partition("Input Parameters:\n")
        texts.append(f"* Endpoint '{name}'\n{text}")
    endpoints = "\n\n".join(texts)
    print_message(f"Saved artifact at '{path}'. The following endpoints are available:\n\n{endpoints}")
