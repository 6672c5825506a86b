"""`TrackableView` and `CheckpointView`: what a checkpoint of an object covers, and what is in one."""

import collections

from tfcompat.train._early import open_checkpoint
from tfcompat.train._objects import GRAPH_KEY, children, is_trackable, parsed, walk


class TrackableView:
    """The objects that `root` holds and a checkpoint saves.

    Args:
      root: the object.

    TF: `tf.train.TrackableView`.
    """

    def __init__(self, root):
        self._root = root

    @property
    def root(self):
        """The object."""
        return self._root

    @classmethod
    def children(cls, obj, save_type="checkpoint", **kwargs):
        """Dict from name to object of what `obj` itself holds; `save_type` is that of TF's SavedModels, or not."""
        return dict(children(obj))

    def descendants(self):
        """List of `root` and all that it holds, breadth first."""
        return walk(self._root)[0]


class CheckpointView:
    """The objects in a checkpoint, by number; the number of the one that was saved is 0.

    Args:
      save_path: path of the checkpoint, without endings.

    Raises:
      ValueError: the checkpoint was not made by `tf.train.Checkpoint`.
      tf.errors.NotFoundError: there is none.

    TF: `tf.train.CheckpointView`.
    """

    def __init__(self, save_path):
        reader = open_checkpoint(save_path)
        if GRAPH_KEY not in reader:
            raise ValueError(
                f'The specified checkpoint "{save_path}" does not appear to be object-based (saved with TF2) since it '
                f'is missing the key "{GRAPH_KEY}". Likely it was created with the TF1 name-based saver.'
            )
        self._nodes = parsed(reader.read(GRAPH_KEY)[()])

    def children(self, node_id):
        """Dict from name to number of what an object itself holds."""
        return dict(self._nodes[node_id].children)

    def descendants(self):
        """List of the numbers of all objects, breadth first."""
        found, queue = [0], collections.deque([0])
        while queue:
            for number in self._nodes[queue.popleft()].children.values():
                if number not in found:
                    found.append(number)
                    queue.append(number)
        return found

    def match(self, obj):
        """Dict from numbers to those objects under `obj` that have the same place there.

        Raises:
          ValueError: `obj` is nothing that a checkpoint covers.
        """
        if not is_trackable(obj):
            raise ValueError(f"Expected a Trackable, got {obj} of type {type(obj)}.")
        matched, queue = {0: obj}, collections.deque([0])
        while queue:
            number = queue.popleft()
            held = dict(children(matched[number]))
            for name, child in self._nodes[number].children.items():
                if name in held and child not in matched:
                    matched[child] = held[name]
                    queue.append(child)
        return matched

    def diff(self, obj):
        """What `match` gives, the list of all other numbers, and the list of all other objects under `obj`."""
        matched = self.match(obj)
        ids = {id(value) for value in matched.values()}
        only_here = [number for number in self.descendants() if number not in matched]
        return matched, only_here, [value for value in walk(obj)[0] if id(value) not in ids]
