"""Sublayers, modules and variables in the attributes of a layer, also inside lists, tuples and dicts.

Containers stay as they are and are read on demand, so that later additions are found. TF wraps them in classes of its
own; their order is TF's, dicts by key.
"""

import collections

from tfcompat._core.module import Module
from tfcompat._core.variable import Variable

CONTAINERS = (list, tuple, dict)


def has_weights(value):
    """Whether `value` lists weights of its own, as modules do."""
    kind = type(value)
    return hasattr(kind, "trainable_weights") and hasattr(kind, "non_trainable_weights")


def is_tracked(value):
    """Whether a layer keeps track of `value` beyond the attribute that holds it."""
    return isinstance(value, (Module, *CONTAINERS)) or has_weights(value)


def values_of(container):
    """The items of a container, in the order in which they are tracked."""
    if isinstance(container, dict):
        return [container[key] for key in sorted(container, key=str)]
    return container


def variables_in(value):
    """The variables in a nest of containers; not those of modules in it."""
    if isinstance(value, Variable):
        return [value]
    if isinstance(value, CONTAINERS):
        return [variable for item in values_of(value) for variable in variables_in(item)]
    return []


def metrics_in(value):
    """The metrics in a nest of containers; not those of modules in it."""
    if hasattr(type(value), "_is_metric"):
        return [value]
    if isinstance(value, CONTAINERS):
        return [metric for item in values_of(value) for metric in metrics_in(item)]
    return []


def modules_in(tracked, recursive):
    """Yields the modules among `tracked` objects and in their containers, each once, outer ones first.

    Metrics are no part of a layer.
    """
    seen, queue = set(), collections.deque(tracked)
    while queue:
        item = queue.popleft()
        if isinstance(item, Module):
            if id(item) in seen or hasattr(item, "_is_metric"):
                continue
            seen.add(id(item))
            yield item
            if recursive:
                queue.extendleft(reversed(getattr(item, "_self_tracked_trackables", ())))
        elif isinstance(item, CONTAINERS):
            if id(item) not in seen:
                seen.add(id(item))
                queue.extendleft(reversed(values_of(item)))


def weights_of(tracked, kind):
    """The weights of a tracked object.

    Args:
      tracked: module, container, or another object that lists weights.
      kind: "variables", "trainable_variables" or "non_trainable_variables".

    Returns:
      List of variables. A container's own variables follow those of the modules in it.
    """
    if not isinstance(tracked, CONTAINERS):
        return list(getattr(tracked, kind))
    if kind == "variables":
        return weights_of(tracked, "trainable_variables") + weights_of(tracked, "non_trainable_variables")
    of_modules, of_container = [], []
    for item in values_of(tracked):
        if isinstance(item, (Module, *CONTAINERS)):
            of_modules += weights_of(item, kind)
        elif isinstance(item, Variable) and item.trainable == (kind == "trainable_variables"):
            of_container.append(item)
    return of_modules + of_container


def unique(variables):
    """`variables` without repetitions, the first of each kept."""
    return list({id(variable): variable for variable in variables}.values())


def number_of_parameters(variables):
    """How many scalars the distinct variables among `variables` hold."""
    return sum(variable.shape.num_elements() or 0 for variable in unique(variables))
