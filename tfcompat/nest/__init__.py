"""`tf.nest`: walking nested structures of lists, tuples, dicts and the like.

A structure is a sequence (list, tuple, namedtuple, `range`, any `collections.abc.Sequence` but text), a
mapping or a view of one, an `attrs` object, or an object with `__tf_flatten__` and `__tf_unflatten__`.
Everything else, tensors, arrays, sets and shapes included, is a leaf. Mappings are walked in the order of
their sorted keys.

With `expand_composites`, values made of several tensors (those with a `_type_spec`, such as IndexedSlices)
and their specs are structures of those tensors too.
"""

from tfcompat.nest._structures import assert_same_structure as assert_same_structure
from tfcompat.nest._structures import flatten as flatten
from tfcompat.nest._structures import flatten_with_paths as flatten_with_paths
from tfcompat.nest._structures import is_nested as is_nested
from tfcompat.nest._structures import map_structure as map_structure
from tfcompat.nest._structures import pack_sequence_as as pack_sequence_as
