"""`tf.saved_model.experimental`: resources that functions use."""

from tfcompat._package.missing import missing as _missing


class TrackableResource:
    """Base of objects with a resource, made by `_create_resource` when `resource_handle` is first asked for.

    Args:
      device: unused; XLA places what it computes.

    TF: `tf.saved_model.experimental.TrackableResource`. `tf.saved_model.save` keeps no resources.
    """

    def __init__(self, device=""):
        self._resource_handle = None

    def _create_resource(self):
        """The resource; defined by subclasses."""
        raise NotImplementedError("TrackableResource._create_resource not implemented.")

    @property
    def resource_handle(self):
        """The resource."""
        if self._resource_handle is None:
            self._resource_handle = self._create_resource()
        return self._resource_handle


__getattr__ = _missing("tf.saved_model.experimental")
