"""`DTensorDataset`: a dataset whose batches are spread over a mesh."""

from tfcompat import nest
from tfcompat.experimental.dtensor._api import relayout


class DTensorDataset:
    """The batches of a dataset, spread as layouts say.

    Args:
      dataset: `tf.data.Dataset`.
      mesh: Mesh, all in this process.
      layouts: nest of Layouts, like the elements.
      global_batch_size: int; a last batch that is smaller is left out.
      dataset_already_batched: whether the elements are batches already, of as many rows as a device along `batch_dim`
        gets.
      batch_dim: the axis of the mesh along which batches are divided; None for none.
      prefetch: int, how many batches are made ahead.
      tf_data_service_config: must be None.

    Raises:
      ValueError: the layouts do not fit the elements, or the batches.
      TypeError: the layouts are another nest than the elements.
      NotImplementedError: a service; the mesh has devices of other processes.

    TF: `tf.experimental.dtensor.DTensorDataset`.
    """

    def __init__(self, dataset, *, mesh, layouts, global_batch_size, dataset_already_batched=False, batch_dim=None,
                 prefetch=None, tf_data_service_config=None):  # fmt: skip
        if tf_data_service_config is not None or mesh.num_local_devices() < mesh.size:
            raise NotImplementedError(
                "tf.experimental.dtensor.DTensorDataset of several processes is not available in tfcompat: read each "
                "process's part, and tf.experimental.dtensor.pack it"
            )
        nest.assert_same_structure(dataset.element_spec, layouts)
        rows = global_batch_size // (mesh.dim_size(batch_dim) if batch_dim else 1)
        for layout, spec in zip(nest.flatten(layouts), nest.flatten(dataset.element_spec), strict=True):
            _check(layout, spec, dataset_already_batched, batch_dim, rows)
        dataset = dataset.unbatch() if dataset_already_batched else dataset
        dataset = dataset.batch(global_batch_size, drop_remainder=True)
        self._dataset = dataset if prefetch is None else dataset.prefetch(prefetch)
        self._layouts = layouts

    @property
    def element_spec(self):
        """Nest of the TensorSpecs of the batches."""
        return self._dataset.element_spec

    def __iter__(self):
        for element in self._dataset:
            yield nest.map_structure(relayout, element, self._layouts)


def _check(layout, spec, batched, batch_dim, rows):
    """Raises ValueError unless a layout fits batches of elements of a spec."""
    if batch_dim and layout.sharding_specs[0] != batch_dim:
        raise ValueError(f"batch_dim {batch_dim} was specified but at least one layout did not contain it: {layout}")
    if spec.shape.rank is None:
        raise ValueError(f"Dataset element shape must have a valid rank, got spec {spec}.")
    rank = spec.shape.rank + (not batched)
    if layout.rank != rank:
        raise ValueError(
            f"Expected layout with rank {rank} for element spec {spec}, got layout {layout.sharding_specs}. Check that "
            "the dataset is not batched before passing to DTensorDataset."
        )
    if batched and spec.shape[0] is None:
        raise ValueError(
            f"Size of batch dimension of element spec {spec} is None. Ensure drop_remainder=True when batching the "
            "dataset."
        )
    if batched and spec.shape[0] != rows:
        raise ValueError(
            f"per_replica_batch_size does not matched expected size based on the mesh, got {spec.shape[0]} but "
            f"expected {rows}."
        )
