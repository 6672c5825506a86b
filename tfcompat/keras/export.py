"""`tf.keras.export`: models and functions as SavedModels to serve."""

from tfcompat import saved_model as _saved_model
from tfcompat._core.dependencies import Trackable as _Trackable
from tfcompat._core.module import Module as _Module
from tfcompat._core.variable import Variable as _Variable
from tfcompat._package.missing import missing as _missing
from tfcompat.function import ConcreteFunction as _ConcreteFunction
from tfcompat.function import Function as _Function
from tfcompat.function import function as _function


class ExportArchive:
    """Collects endpoints, which are functions for inference, and writes them as a SavedModel.

    Attributes:
      variables, trainable_variables, non_trainable_variables: lists, of all that is tracked.

    TF: `tf.keras.export.ExportArchive` of tf_keras.
    """

    def __init__(self):
        self.variables, self.trainable_variables, self.non_trainable_variables = [], [], []
        self._endpoints, self._collections, self._tracked = {}, {}, []

    def track(self, resource):
        """Notes a layer, model or module: its variables are saved.

        Raises:
          ValueError: something else.
        """
        if not isinstance(resource, _Module | _Trackable | _Variable):
            raise ValueError(
                "Invalid resource type. Expected an instance of a TensorFlow `Trackable` (such as a TF-Keras `Layer` "
                f"or `Model`). Received instead an object of type '{type(resource)}'. Object received: {resource}"
            )
        self._tracked.append(resource)
        for name in ("variables", "trainable_variables", "non_trainable_variables"):
            known = getattr(self, name)
            known += [v for v in getattr(resource, name, ()) if all(v is not other for other in known)]

    def add_endpoint(self, name, fn, input_signature=None):
        """Adds a function.

        Args:
          name: str; an attribute of what is loaded, and of a signature.
          fn: function of tensors, or `tf.function`.
          input_signature: list of TensorSpecs; without it `fn` is a `tf.function` that has been called.

        Raises:
          ValueError: the name is taken, or nothing tells the shapes of the arguments.
        """
        if name in self._endpoints:
            raise ValueError(f"Endpoint name '{name}' is already taken.")
        if input_signature is not None:
            fn = _function(fn, input_signature=input_signature)
        elif not isinstance(fn, _Function | _ConcreteFunction):
            raise ValueError(
                "If the `fn` argument provided is not a `tf.function`, you must provide an `input_signature` argument "
                "to specify the shape and dtype of the function arguments."
            )
        elif isinstance(fn, _Function) and not list(fn._signatures()):
            raise ValueError(
                f"The provided tf.function '{fn}' has never been called. To specify the expected shape and dtype of "
                "the function's arguments, you must either provide a function that has been called at least once, or "
                "alternatively pass an `input_signature` argument in `add_endpoint()`."
            )
        self._endpoints[name] = fn

    def add_variable_collection(self, name, variables):
        """Saves a list of variables as an attribute.

        Raises:
          ValueError: no list, tuple or set, or something else than variables in it.
        """
        if not isinstance(variables, list | tuple | set):
            raise ValueError(
                "Expected `variables` to be a list/tuple/set. Received instead object of type "
                f"'{type(variables)}'."
            )  # fmt: skip
        wrong = [type(v) for v in variables if not isinstance(v, _Variable)]
        if wrong:
            raise ValueError(
                "Expected all elements in `variables` to be `tf.Variable` instances. Found instead the following "
                f"types: {wrong}"
            )
        self._collections[name] = list(variables)

    def write_out(self, filepath, options=None):
        """Writes a SavedModel; the first endpoint is "serving_default", too.

        Args:
          filepath: of its folder.
          options: SaveOptions.

        Raises:
          ValueError: there are no endpoints.
        """
        if not self._endpoints:
            raise ValueError("No endpoints have been set yet. Call add_endpoint().")
        saved = _Module()
        vars(saved).update(self._endpoints, **self._collections)
        for name in ("variables", "trainable_variables", "non_trainable_variables"):
            vars(saved)[name] = list(getattr(self, name))
        signatures = {**self._endpoints, "serving_default": next(iter(self._endpoints.values()))}
        _saved_model.save(saved, filepath, signatures, options)


__getattr__ = _missing("tf.keras.export")
