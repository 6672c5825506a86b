"""Nests of targets and sources, flattened to tensors and variables, and results packed like them."""

from tfcompat import nest
from tfcompat._core.composite import CompositeTensor
from tfcompat._core.convert import to_node
from tfcompat._core.tensor import EagerTensor, SymbolicTensor, Tensor, wrap
from tfcompat._core.variable import ResourceVariable, Variable, variable_read

LEAVES = frozenset({EagerTensor, SymbolicTensor, ResourceVariable})


def flat_tensors(structure, argument) -> list:
    """The tensors and variables of a nest."""
    kind = type(structure)
    if kind in LEAVES:
        return [structure]
    if kind is list and all([type(x) in LEAVES for x in structure]):
        return structure
    flat = [variable_read(x) for x in nest.flatten(structure)]
    for place, x in enumerate(flat):
        if isinstance(x, CompositeTensor):
            flat[place] = x._differentiable_part()
        elif not isinstance(x, Tensor | Variable):
            raise AttributeError(
                f"'{type(x).__name__}' object is no tensor: `{argument}` of GradientTape.gradient must be a nest of "
                f"tf.Tensors and tf.Variables, got {x!r}."
            )
    return flat


def packed_like(structure, flat_structure, results):
    """`results`, one for each of `flat_structure`, which `flat_tensors` made of `structure`, as a nest like that."""
    if flat_structure is structure:
        return results
    if type(structure) in LEAVES:
        return results[0]
    return nest.pack_sequence_as(structure, results)


def has_composites(structure, flat):
    """Whether `flat_tensors` found composite tensors: they are no longer what stands in the structure."""
    if flat is structure or type(structure) in LEAVES:
        return False
    if isinstance(structure, CompositeTensor):
        return True
    return any(leaf is not x for leaf, x in zip(nest.flatten(structure), flat, strict=True))


def as_source(source, gradient):
    """The gradient with respect to a composite tensor: like it, with the gradient in place of its values."""
    if gradient is None or not isinstance(source, CompositeTensor):
        return gradient
    return source._with_differentiable_part(wrap(to_node(gradient)))
