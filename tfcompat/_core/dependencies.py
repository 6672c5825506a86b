"""What an object names for checkpoints beside its attributes."""

import collections

TrackableReference = collections.namedtuple("TrackableReference", ["name", "ref"])


class Dependent:
    """An object that says by `_track_trackable` what checkpoints save with it."""

    def _track_trackable(self, trackable, name, overwrite=False):
        """Makes checkpoints of the object save another, under a name, that is in no attribute of it."""
        known = self.__dict__.setdefault("_dependencies", {})
        if known.get(name, trackable) is not trackable and not overwrite:
            raise ValueError(
                f"Called Trackable._track_trackable() with name='{name}', but a Trackable with this name is already "
                "declared as a dependency. Names must be unique (or overwrite=True)."
            )
        known[name] = trackable
        return trackable

    def _no_dependency(self, value):
        """`value`: what a checkpoint keeps is found by walking attributes, so there is nothing to mark."""
        return value

    @property
    def _unconditional_checkpoint_dependencies(self):
        """List of (name, object): what a checkpoint of the object saves."""
        from tfcompat.train._objects import children

        return [TrackableReference(*each) for each in children(self)]
