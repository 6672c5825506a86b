"""`TrackableView`: the objects that a checkpoint of an object covers."""

from tfcompat.train._objects import children, walk


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
