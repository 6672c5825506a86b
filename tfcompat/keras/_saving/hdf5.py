"""Weights in HDF5, in the two layouts of tf_keras: one group for each layer's name, and one for each object's path."""


import numpy as np

from tfcompat._core.graphs import in_session
from tfcompat._package.logging import logger
from tfcompat.keras._saving.parts import parts_of
from tfcompat.keras.metrics._base import Metric
from tfcompat.keras.optimizers._base import Optimizer

# Longer lists of names are split over several attributes.
# https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/saving/legacy/hdf5_format.py
_LARGEST_ATTRIBUTE = 64512  # bytes that fit an object header of HDF5


# --- by path ------------------------------------------------------------------------------------------------------


@in_session
def put_state(file, root):
    """Writes the variables of an object and of those in it, each under the path that leads to it."""
    for path, part in parts_of(root):
        group = file.create_group(f"{path}/vars" if path else "vars")
        part.save_own_variables(group)


def texts_of(root):
    """Dict from names of text files to their bytes, for what objects keep beside their variables: vocabularies."""
    return {
        f"{path}/{name}".lstrip("/"): text
        for path, part in parts_of(root)
        if hasattr(part, "_texts")
        for name, text in part._texts().items()
    }


def take_texts(texts, root):
    """Gives the files that `texts_of` made back to their objects."""
    for path, part in parts_of(root):
        if hasattr(part, "_take_texts"):
            start = f"{path}/".lstrip("/")
            own_texts = {name.removeprefix(start): text for name, text in texts.items() if name.startswith(start)}
            try:
                part._take_texts(own_texts)
            except ValueError as error:
                raise ValueError(f"{path or 'the model'}: {error}") from error


@in_session
def take_state(file, root, skip_mismatch=False):
    """Sets the variables to those that `put_state` wrote."""
    missing = []
    for path, part in parts_of(root):
        place = f"{path}/vars" if path else "vars"
        stored = file.get(place, {})
        if not len(stored) and isinstance(part, Metric | Optimizer):
            continue
        try:
            store = {key: np.asarray(stored[key]) for key in stored}
            part.load_own_variables(store)
        except (ValueError, KeyError) as error:
            if not skip_mismatch:
                raise ValueError(f"{path or 'the model'}: {error}") from error
            missing.append(path)
    if missing:
        logger.warning("Could not load the weights of %s: they do not fit.", ", ".join(missing))


# --- by name of the layer -----------------------------------------------------------------------------------------


@in_session
def put_weights(group, model):
    """Writes the weights layer by layer, as `Model.save_weights` does into `.h5`."""
    _put_names(group, "layer_names", [layer.name for layer in model.layers])
    group.attrs["backend"] = b"tensorflow"
    group.attrs["keras_version"] = b"2.21.0"
    for layer in sorted(model.layers, key=lambda layer: layer.name):
        put_variables(group.create_group(layer.name), _weights_of(layer))
    put_variables(group.create_group("top_level_model_weights"), _own_weights(model))


@in_session
def put_variables(group, variables):
    """Writes variables by name, and the order of the names."""
    _put_names(group, "weight_names", [variable.name for variable in variables])
    for variable in variables:
        group.create_dataset(variable.name, data=variable.numpy())


def take_variables(group):
    """The arrays that `put_variables` wrote, in order."""
    return [np.asarray(group[name]) for name in _names(group, "weight_names")]


def take_weights(group, model):
    """Sets the weights to those that `put_weights` wrote, layer after layer."""
    layers = [layer for layer in model.layers if layer.weights]
    names = [name for name in _names(group, "layer_names") if _names(group[name], "weight_names")]
    if len(names) != len(layers):
        raise ValueError(
            "Layer count mismatch when loading weights from file. "
            f"Model expected {len(layers)} layers, found {len(names)} saved layers."
        )
    pairs = []
    for number, (layer, name) in enumerate(zip(layers, names, strict=True)):
        variables, arrays = _weights_of(layer), take_variables(group[name])
        if len(variables) != len(arrays):
            raise ValueError(
                f"Weight count mismatch for layer #{number} (named {layer.name} in the current model, {name} in the "
                f"save file). Layer expects {len(variables)} weight(s). Received {len(arrays)} saved weight(s)"
            )
        pairs += zip(variables, arrays, strict=True)
    if "top_level_model_weights" in group:
        variables, arrays = _own_weights(model), take_variables(group["top_level_model_weights"])
        if len(variables) != len(arrays):
            raise ValueError(
                "Weight count mismatch for top-level weights when loading weights from file. Model expects "
                f"{len(variables)} top-level weight(s). Received {len(arrays)} saved top-level weight(s)"
            )
        pairs += zip(variables, arrays, strict=True)
    _assign(pairs)


def take_weights_by_name(group, model, skip_mismatch):
    """Sets the weights of the layers that have a layer's name in the file."""
    pairs = []
    saved = set(_names(group, "layer_names"))
    for number, layer in enumerate(model.layers):
        if layer.name not in saved:
            continue
        variables, arrays = _weights_of(layer), take_variables(group[layer.name])
        problem = None
        if len(variables) != len(arrays):
            problem = (
                f"Weight count mismatch for layer #{number} (named {layer.name}). Layer expects {len(variables)} "
                f"weight(s). Received {len(arrays)} saved weight(s)"
            )
        else:
            for variable, array in zip(variables, arrays, strict=True):
                if not variable.shape.is_compatible_with(array.shape):
                    problem = (
                        f"Shape mismatch in layer #{number} (named {layer.name}) for weight {variable.name}. Weight "
                        f"expects shape {tuple(variable.shape)}. Received saved weight with shape {array.shape}"
                    )
                else:
                    pairs.append((variable, array))
        if problem is not None:
            if not skip_mismatch:
                raise ValueError(problem)
            logger.warning("Skipping loading of weights: %s", problem)
    _assign(pairs)


@in_session
def _assign(pairs):
    for variable, array in pairs:
        if not variable.shape.is_compatible_with(array.shape):
            raise ValueError(
                f"Cannot assign value to variable '{variable.name}': Shape mismatch. The variable shape "
                f"{tuple(variable.shape)}, and the assigned value shape {array.shape} are incompatible."
            )
    for variable, array in pairs:
        variable.assign(array.astype(variable.dtype.np, copy=False))


def _weights_of(layer):
    return layer.trainable_weights + layer.non_trainable_weights


def _own_weights(model):
    return model._trainable_weights + model._non_trainable_weights


def _put_names(group, attribute, names):
    """Writes a list of names, in several attributes if it is too long for one."""
    longest = max((len(name.encode()) for name in names), default=0)
    if longest > _LARGEST_ATTRIBUTE:
        raise RuntimeError(f"a name is too long for HDF5: {max(names, key=len)[:100]}...")
    most = _LARGEST_ATTRIBUTE // max(longest, 16)  # the file keeps 16 bytes beside the text of each
    if len(names) <= most:
        group.attrs[attribute] = list(names)
        return
    for number, start in enumerate(range(0, len(names), most)):
        group.attrs[f"{attribute}{number}"] = list(names[start : start + most])


def _names(group, attribute):
    """The list of names that `_put_names` wrote."""
    if attribute in group.attrs:
        parts = [group.attrs[attribute]]
    else:
        parts, number = [], 0
        while f"{attribute}{number}" in group.attrs:
            parts.append(group.attrs[f"{attribute}{number}"])
            number += 1
    return [name.decode() if isinstance(name, bytes) else str(name) for part in parts for name in part]
