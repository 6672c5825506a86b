"""`tf.lite.TFLiteConverter`."""

import itertools
from typing import Any

import jax
import numpy as np

from tfcompat import dtypes, nest
from tfcompat._core.spec import TensorSpec
from tfcompat._package.logging import logger
from tfcompat.errors import UnimplementedError
from tfcompat.function import function
from tfcompat.function._to_jax import from_jax
from tfcompat.keras._saving.folders import serving_function
from tfcompat.lite import _flatbuffers, _open_batch, _quantize, _schema
from tfcompat.lite._errors import ConverterError
from tfcompat.lite._options import OpsSet, Optimize, RepresentativeDataset, TargetSpec
from tfcompat.lite._plain import function_of
from tfcompat.saved_model._load import load
from tfcompat.saved_model._restored import RestoredConcreteFunction, named_results, names_of_inputs
from tfcompat.saved_model._traces import Traces, specs_in

_SERVING = "serving_default"
_IO = {dtypes.float32: None, dtypes.int8: np.int8, dtypes.uint8: np.uint8, dtypes.int16: np.int16}


class TFLiteConverter:
    """Makes a flatbuffer for TensorFlow Lite of a model.

        converter = tf.lite.TFLiteConverter.from_keras_model(model)
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
        data = converter.convert()

    Attributes:
      optimizations: set or list of `Optimize`.
      representative_dataset: `RepresentativeDataset`, or the function that it takes; None.
      target_spec: `TargetSpec`.
      inference_input_type, inference_output_type: dtypes of inputs and results of a model of integers: tf.float32,
        tf.int8, tf.uint8 or, with activations of 16 bits, tf.int16.
      unfold_batchmatmul: False.
      allow_custom_ops, experimental_new_converter, experimental_new_quantizer, exclude_conversion_metadata,
        experimental_enable_resource_variables...: not asked; a model made here has builtin operations alone, and no
        metadata.

    What the functions compute becomes StableHLO, as in `tf.saved_model`, and that becomes operations of TensorFlow
    Lite. The values of variables are constants in it.

    TF: `tf.lite.TFLiteConverter`. A model is made for an unknown batch size where that can be; other unknown sizes may
    give a slower model than TensorFlow's.
    """

    def __init__(self, funcs, trackable_obj=None):
        self._funcs = list(funcs)
        self._trackable_obj = trackable_obj
        self._model: Any = None  # another source of functions
        self._loaded: Any = None
        self.optimizations = set()
        self.representative_dataset = None
        self.target_spec = TargetSpec()
        self.inference_input_type = self.inference_output_type = dtypes.float32
        self.allow_custom_ops = self.exclude_conversion_metadata = False
        self.experimental_new_converter = self.experimental_new_quantizer = True
        self.experimental_enable_resource_variables = True
        self.experimental_new_dynamic_range_quantizer = True
        self.unfold_batchmatmul = self.legalize_custom_tensor_list_ops = False

    @classmethod
    def from_concrete_functions(cls, funcs, trackable_obj=None):
        """The converter of concrete functions.

        Args:
          funcs: list of ConcreteFunctions.
          trackable_obj: `tf.Module` that they belong to; with it, they become signatures.

        Raises:
          ValueError: one is no ConcreteFunction, but has to be called `get_concrete_function` of.
        """
        for concrete in funcs:
            if not hasattr(concrete, "structured_input_signature"):
                message = "This function takes in a list of concrete functions."
                if hasattr(concrete, "get_concrete_function"):
                    message += " To get the ConcreteFunction from a Function, call get_concrete_function."
                raise ValueError(message)
        return cls(funcs, trackable_obj)

    @classmethod
    def from_keras_model(cls, model):
        """The converter of a Keras model, built or called before."""
        converter = cls([], model)
        converter._model = model
        return converter

    @classmethod
    def from_saved_model(cls, saved_model_dir, signature_keys=None, tags=None):
        """The converter of signatures of a SavedModel.

        Args:
          saved_model_dir: the directory.
          signature_keys: list of names; all if None.
          tags: set of tags, {"serve"} if None.

        Raises:
          OSError: there is no model.
          ValueError: there is no such signature.
        """
        if tags is not None and set(tags) != {"serve"}:
            raise ValueError(
                f"Got an incompatible argument to `tags`: {tags}. The SavedModel at {saved_model_dir} has one "
                "MetaGraph with tags ['serve']. You may omit the argument, pass 'None', or pass matching tags."
            )
        loaded = load(saved_model_dir)
        for name in signature_keys or ():
            if name not in loaded.signatures:
                valid = ",".join(loaded.signatures)
                raise ValueError(f"Invalid signature key '{name}' found. Valid keys are '{valid}'.")
        converter = cls([], loaded)
        converter._loaded = {name: loaded.signatures[name] for name in signature_keys or loaded.signatures}
        return converter

    @classmethod
    def experimental_from_jax(cls, serving_funcs, inputs):
        """The converter of a JAX function.

        Args:
          serving_funcs: list of one function.
          inputs: list of one list of pairs: the name of an argument, and an array of its shape and dtype.
        """
        if len(serving_funcs) != 1 or len(inputs) != 1:
            raise ValueError("There should be exactly one serving function and its inputs.")
        traced = from_jax(serving_funcs[0])
        specs = [_spec_of(name, x) for name, x in inputs[0]]
        return cls([function(lambda *args: traced(*args)).get_concrete_function(*specs)])

    def convert(self):
        """The bytes of the model.

        Raises:
          ValueError, TypeError: there is no function; attributes that do not go together.
          ConverterError: an operation that TensorFlow Lite does not have, text, random numbers, assigned variables.
          tf.errors.UnimplementedError: a package is not installed.
        """
        recipe, bits = self._recipe()
        traced = [_Signature(name, concrete) for name, concrete in self._functions()]
        model = _model_of(traced)
        if recipe is not None:
            examples = self._examples(traced) if bits else None
            rules = [*recipe, *(_quantize.unquantized(side) for side in self._floating_sides())] if bits else recipe
            model = _quantize.quantized(model, rules, examples)
        if set(self.target_spec.supported_ops) == {OpsSet.TFLITE_BUILTINS_INT8}:
            _check_integers(model)
        return _schema.finished(model, traced, _IO[self._io("input")], _IO[self._io("output")])

    def _functions(self):
        """Pairs of functions with their names, in TensorFlow's order."""
        if self._model is not None:
            return [(_SERVING, serving_function(self._model))]
        if self._loaded is not None:
            return sorted(self._loaded.items())
        if not self._funcs:
            raise ValueError("No ConcreteFunction is specified.")
        if self._trackable_obj is None:
            return list(enumerate(self._funcs))
        if len(self._funcs) == 1:
            return [(_SERVING, self._funcs[0])]
        return sorted((concrete.name, concrete) for concrete in self._funcs)

    # --- quantization -------------------------------------------------------------------------------------------------

    def _recipe(self):
        """(rules or None, bits of what is computed or None if that stays floating)."""
        optimizations = set(self.optimizations or ())
        if Optimize.EXPERIMENTAL_SPARSITY in optimizations:
            raise ConverterError("tf.lite.Optimize.EXPERIMENTAL_SPARSITY is not available in tfcompat: use DEFAULT")
        if OpsSet.EXPERIMENTAL_STABLEHLO_OPS in self.target_spec.supported_ops:
            raise ConverterError("EXPERIMENTAL_STABLEHLO_OPS is not available in tfcompat: use TFLITE_BUILTINS")
        if self.unfold_batchmatmul:
            raise ConverterError("unfold_batchmatmul is not available in tfcompat: leave it False")
        types = {dtypes.as_dtype(t) for t in self.target_spec.supported_types or ()}
        if types - {dtypes.float16, dtypes.int8, dtypes.float32}:
            raise ValueError(f"supported_types may be tf.float16 or tf.int8, got {self.target_spec.supported_types}")
        sides = {self._io("input"), self._io("output")}
        wide = OpsSet.EXPERIMENTAL_TFLITE_BUILTINS_ACTIVATIONS_INT16_WEIGHTS_INT8 in self.target_spec.supported_ops
        if not optimizations:
            if sides != {dtypes.float32}:
                raise ValueError("The inference_input_type and inference_output_type must be tf.float32.")
            return None, None
        if dtypes.float16 in types:
            return _quantize.HALVES, None
        if self.representative_dataset is not None:
            if sides - {dtypes.float32, *((dtypes.int16,) if wide else (dtypes.int8, dtypes.uint8))}:
                raise ValueError(
                    "The inference_input_type and inference_output_type must be in "
                    f"{['tf.float32', 'tf.int16'] if wide else ['tf.float32', 'tf.int8', 'tf.uint8']}."
                )
            return _quantize.static(16 if wide else 8), 16 if wide else 8
        if set(self.target_spec.supported_ops) == {OpsSet.TFLITE_BUILTINS_INT8} or wide:
            raise ValueError("For full integer quantization, a `representative_dataset` must be specified.")
        if sides != {dtypes.float32}:
            raise ValueError("The inference_input_type and inference_output_type must be tf.float32.")
        return _quantize.DYNAMIC, None

    def _io(self, side):
        dtype = dtypes.as_dtype(getattr(self, f"inference_{side}_type") or dtypes.float32)
        if dtype not in _IO:
            raise ValueError(f"The inference_{side}_type must be in {[f'tf.{d.name}' for d in _IO]}.")
        return dtype

    def _floating_sides(self):
        return [side.upper() for side in ("input", "output") if self._io(side) is dtypes.float32]

    def _examples(self, signatures):
        dataset = self.representative_dataset
        generate: Any = dataset.input_gen if isinstance(dataset, RepresentativeDataset) else dataset
        if not callable(generate):
            raise TypeError(f"representative_dataset must be a function that gives an iterator, got {dataset!r}")
        examples: dict = {}
        given: Any = generate()
        for example in given:
            name = signatures[0].name
            if isinstance(example, tuple) and len(example) == 2 and isinstance(example[0], str):
                name, example = example
            signature = next((s for s in signatures if s.name == name), None)
            if signature is None:
                raise ValueError(f"representative_dataset: there is no signature {name!r}")
            examples.setdefault(signature.key, []).append(signature.by_name(example))
        if not examples:
            raise ValueError("representative_dataset gave no example")
        return examples


def _check_integers(model):
    """Raises ConverterError if something is computed with floating numbers."""
    floating = _schema.floating_operations(model)
    if floating:
        raise ConverterError(
            f"TFLITE_BUILTINS_INT8 alone was asked for, and {', '.join(floating)} cannot be computed with integers"
        )


def _spec_of(name, x):
    return TensorSpec(np.shape(x), dtypes.as_dtype(np.asarray(x).dtype), name)


class _Signature:
    """A function that is converted.

    Attributes:
      name: str, or the number of a function that is no signature.
      key: str, that of the signature while it is converted.
      inputs, outputs: names.
    """

    def __init__(self, name, function):
        self.name, self.key = name, name if isinstance(name, str) else f"function_{name}"
        if isinstance(function, RestoredConcreteFunction):
            function = function._function
        self._function, self._traces = function, Traces()
        ((self._args, self._kwargs),) = self._traces.signatures(function)
        self.inputs = names_of_inputs(function._python_signature, self._args, self._kwargs)
        self.specs = specs_in(self._args, self._kwargs)
        self.outputs: list = []

    def by_name(self, example):
        """An example as a dict of arrays by the names of inputs."""
        if not isinstance(example, dict):
            example = dict(zip(self.inputs, example, strict=True))
        return {name: np.asarray(x) for name, x in example.items()}

    def for_sizes(self, batch=None):
        """What is converted: (key, function of arrays, shapes of arguments by name, names of results).

        Args:
          batch: int in place of an unknown first size; None keeps all unknown sizes.
        """
        def use(shapes, arguments, traced):
            result = traced.specs()
            flat = nest.flatten(result, expand_composites=True)
            named = named_results(result)
            self.outputs = sorted(named) if isinstance(result, dict) else list(named)
            if len(self.outputs) != len(flat):
                name = self._function.name
                raise ConverterError(f"{name}: the results of a signature are tensors, by name or in a list")
            shapes = [jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in arguments.avals]
            computed = function_of(traced, self._function.name)
            return self.key, computed, dict(zip(self.inputs, shapes, strict=True)), self.outputs

        if batch is None:
            try:
                return next(iter(self._traces.by_rank(self._function, self._args, self._kwargs, use).values()))
            except UnimplementedError as error:
                cause = error.message.removeprefix("tf.saved_model.save: ")
                raise ConverterError(f"Could not convert to TensorFlow Lite: {cause}") from error
        shapes = [[batch if n is None else n for n in spec.shape.as_list()] for spec in self.specs]
        return use(shapes, *self._traces.trace(self._function, self._args, self._kwargs, shapes))

    def has_one_size(self):
        """Whether the arguments whose first size is unknown must have the same."""
        unknown = [spec for spec in self.specs if spec.shape.as_list()[:1] == [None]]
        if len(unknown) < 2:
            return True
        sizes = itertools.chain(_open_batch.SIZES, itertools.repeat(_open_batch.SIZES[0]))
        shapes = [
            [next(sizes), *spec.shape.as_list()[1:]] if spec in unknown else spec.shape.as_list() for spec in self.specs
        ]
        try:
            self._traces.trace(self._function, self._args, self._kwargs, shapes)
        except Exception:
            return True
        return False

    @property
    def unknown(self):
        """What is unknown of the shapes: the set of axes, None among them for an unknown rank."""
        shapes = [spec.shape for spec in self.specs]
        if any(shape.rank is None for shape in shapes):
            return {None}
        return {axis for shape in shapes for axis, n in enumerate(shape.as_list()) if n is None}


def _model_of(signatures):
    """The bytes of the model before it is quantized."""
    unknown = set().union(*(s.unknown for s in signatures))
    if None in unknown:
        raise ConverterError("Could not convert to TensorFlow Lite: the rank of an argument is unknown")
    if not unknown:
        return _flatbuffers.converted([s.for_sizes(1) for s in signatures])
    if unknown == {0}:
        model = _of_any_batch(signatures)
        if model is not None:
            return model
    try:
        return _flatbuffers.converted([s.for_sizes() for s in signatures])
    except ConverterError:
        if unknown != {0}:
            raise
    model = _flatbuffers.converted([s.for_sizes(1) for s in signatures])
    logger.warning("tf.lite: the model is made for a batch size of 1; what it computes cannot be converted for any.")
    return model


def _of_any_batch(signatures):
    """The bytes of the model for any first size, by two known ones; None if that cannot be."""
    try:
        functions = [[s.for_sizes(size) for s in signatures] for size in _open_batch.SIZES]
    except Exception:  # the size is one that the functions do not take
        return None
    model, other = map(_flatbuffers.converted, functions)
    return _open_batch.with_open_batch(model, other, all(s.has_one_size() for s in signatures))
