"""The losses and metrics of a compiled model, one for each output."""

import re
from typing import Any

from tfcompat import nest
from tfcompat.array import cast, expand_dims, shape
from tfcompat.distribute import get_strategy
from tfcompat.keras import losses as losses_module
from tfcompat.keras import metrics as metrics_module
from tfcompat.keras.losses._base import Loss, LossFunctionWrapper, Reduction, apply_mask
from tfcompat.math import add_n


def pseudo_names(structure, prefix):
    """Names for the outputs of a model that has none: "output_1"..., or the keys of a dict."""
    if isinstance(structure, dict):
        return [name for key in sorted(structure) for name in _joined(key, structure[key])]
    if isinstance(structure, list | tuple):
        return [f"{prefix}{name}" for i, item in enumerate(structure, 1) for name in _joined(i, item)]
    return [f"{prefix}1"]


def _joined(key, item):
    if not nest.is_nested(item):
        return [str(key)]
    keys = sorted(item) if isinstance(item, dict) else range(len(item))
    named = [(k if isinstance(item, dict) else k + 1, item[k]) for k in keys]
    return [f"{key}_{name}" for k, value in named for name in _joined(k, value)]


class _Container:
    """Objects that belong to the outputs of a model."""

    def __init__(self, output_names=None):
        self._output_names: Any = output_names
        self.built = False

    def _build_names(self, y_pred):
        if self._output_names is None:
            self._output_names = pseudo_names(y_pred, "output_")

    def _conformed(self, outputs, struct):
        """`struct` in the structure of the outputs."""
        flat_outputs = not nest.is_nested(outputs) or (
            isinstance(outputs, list | tuple) and not any(nest.is_nested(output) for output in outputs)
        )
        if flat_outputs and isinstance(struct, dict):
            names = self._output_names or pseudo_names(outputs, "output_")
            remaining = dict(struct)
            values = [remaining.pop(name, None) for name in names]
            if remaining:
                raise ValueError(
                    "Found unexpected losses or metrics that do not correspond to any Model output: "
                    f"{remaining.keys()}. Valid mode output names: {names}. Received struct is: {remaining}."
                )
            struct = values[0] if len(values) == 1 else values
        if isinstance(outputs, dict) and isinstance(struct, dict):
            struct = {**dict.fromkeys(outputs), **struct}
        if not nest.is_nested(struct) and nest.is_nested(outputs):
            struct = nest.map_structure(lambda _: struct, outputs)
        return struct


class LossesContainer(_Container):
    """The losses of the outputs, and their mean over batches."""

    def __init__(self, losses, loss_weights=None, output_names=None, total_loss_mean=None):
        super().__init__(output_names)
        self._user_losses: Any = losses
        self._user_loss_weights: Any = loss_weights
        self._losses: Any = losses
        self._loss_weights: Any = loss_weights
        self._per_output: list = []
        self._total = metrics_module.Mean(name="loss") if total_loss_mean is None else total_loss_mean

    @property
    def metrics(self):
        """The mean of the total loss, then those of the outputs where there are several."""
        return [self._total, *[m for m in self._per_output if m is not None]] if self.built else []

    def _build(self, y_pred):
        self._build_names(y_pred)
        conformed = self._conformed(y_pred, self._losses)
        self._losses = [_loss_object(loss) for loss in nest.flatten(conformed)]
        self._loss_weights = nest.flatten(self._conformed(y_pred, self._loss_weights))
        if len(self._output_names) == 1:
            self._per_output = [None]
        else:
            self._per_output = [
                None if loss is None else metrics_module.Mean(name + "_loss")
                for loss, name in zip(self._losses, self._output_names, strict=True)
            ]
        self.built = True

    def __call__(self, y_true, y_pred, sample_weight=None, regularization_losses=None) -> Any:
        """The total loss, which is added to the mean; None without any loss."""
        y_true, sample_weight = self._conformed(y_pred, y_true), self._conformed(y_pred, sample_weight)
        if not self.built:
            self._build(y_pred)
        values, shown, size = [], [], None
        replicas = get_strategy().num_replicas_in_sync
        for y_t, y_p, weight, loss, share, metric in zip(
            nest.flatten(y_true), nest.flatten(y_pred), nest.flatten(sample_weight), self._losses, self._loss_weights,
            self._per_output, strict=False,
        ):  # fmt: skip
            if y_t is None or loss is None:
                continue
            y_t, y_p, weight = match_dtype_and_rank(y_t, y_p, weight)
            weight = apply_mask(y_p, weight, getattr(y_p, "_keras_mask", None))
            value = loss(y_t, y_p, sample_weight=weight)
            size = shape(y_t)[0] if size is None else size
            if metric is not None:
                metric.update_state(value, sample_weight=size)
            value = value if share is None else value * share
            is_mean = loss.reduction in (Reduction.AUTO, Reduction.SUM_OVER_BATCH_SIZE)
            # The mean over a replica is its share of that over all. Of sums, the mean of `shown` counts the replicas.
            values.append(value / replicas if is_mean and replicas > 1 else value)
            shown.append(value * replicas if loss.reduction == Reduction.SUM and replicas > 1 else value)
        if regularization_losses:
            value = add_n(_of_one_dtype(regularization_losses))
            values.append(value / replicas if replicas > 1 else value)
            shown.append(value)
        if not values:
            return None
        total = _sum(values)
        self._total.update_state(total if replicas == 1 else _sum(shown), sample_weight=size)
        return total

    def reset_state(self):
        """Resets the means."""
        for metric in self.metrics:
            metric.reset_state()


class MetricsContainer(_Container):
    """The metrics of the outputs. Those of a file have their names, with that of the output: `from_serialized`."""

    def __init__(self, metrics=None, weighted_metrics=None, output_names=None, from_serialized=False):
        super().__init__(output_names)
        self._from_serialized = from_serialized
        self._user_weighted_metrics = weighted_metrics
        self._metrics: Any = metrics
        self._weighted_metrics: Any = weighted_metrics
        seen = [id(m) for m in nest.flatten([metrics, weighted_metrics]) if isinstance(m, metrics_module.Metric)]
        if len(set(seen)) < len(seen):
            raise ValueError(
                "Found duplicated metrics object in the user provided metrics and weighted metrics. This will cause "
                "the same metric object to be updated multiple times, and report wrong results. \n"
                f"Duplicated items: {metrics}, {weighted_metrics}"
            )
        self.metrics: list[Any] = []

    def _build(self, y_pred, y_true):
        self._build_names(y_pred)
        outputs: Any = nest.flatten(y_pred)
        targets: Any = nest.flatten(y_true)
        self._metrics = self._for_outputs(self._metrics, y_pred, outputs, targets)
        self._weighted_metrics = self._for_outputs(self._weighted_metrics, y_pred, outputs, targets)
        if not self._from_serialized:
            self._name_them()
        pairs = zip(self._metrics, self._weighted_metrics, strict=True)
        self.metrics = [m for pair in pairs for metrics_of_output in pair for m in metrics_of_output if m is not None]
        self.built = True

    def _for_outputs(self, metrics, y_pred, outputs, targets):
        """For each output a list of its metrics."""
        several = len(outputs) > 1
        if not nest.is_nested(metrics) or (
            isinstance(metrics, list | tuple) and not any(nest.is_nested(m) for m in metrics)
        ):
            listed = nest.flatten(metrics)
            by_output = [[_copied(m) for m in listed] if several else listed for _ in outputs]
        else:
            struct = self._conformed(y_pred, metrics)
            if not nest.is_nested(y_pred):
                struct = [struct[0] if isinstance(struct, list | tuple) and len(struct) == 1 else struct]
            elif isinstance(struct, dict):
                struct = [struct[key] for key in sorted(struct)]
            by_output = [nest.flatten(one) for one in struct]
        return [
            [_metric_object(metric, y_t, y_p) for metric in of_output]
            for of_output, y_t, y_p in zip(by_output, targets, outputs, strict=False)
        ]

    def _name_them(self):
        taken, several = set(), len(self._output_names) > 1
        for output, of_output, weighted in zip(self._output_names, self._metrics, self._weighted_metrics, strict=False):
            for kind, metrics in (("", of_output), ("weighted_", weighted)):
                for metric in metrics:
                    if metric is None:
                        continue
                    name = metric.name
                    if several:
                        plain = f"{output}_{name}"
                        name = f"{output}_{kind}{name}" if plain in taken else plain
                    elif kind and name in taken:
                        name = kind + name
                    if name in taken:
                        which = "two weighted metrics" if kind else "two metrics"
                        raise ValueError(
                            f"Found {which} with the same name: {name}. All the metrics added to the model need to "
                            "have unique names."
                        )
                    taken.add(name)
                    metric.__dict__["_name"] = name

    def update_state(self, y_true, y_pred, sample_weight=None):
        """Takes a batch in."""
        y_true, sample_weight = self._conformed(y_pred, y_true), self._conformed(y_pred, sample_weight)
        if not self.built:
            self._build(y_pred, y_true)
        weighted: Any
        for y_t, y_p, weight, plain, weighted in zip(
            nest.flatten(y_true), nest.flatten(y_pred), nest.flatten(sample_weight), self._metrics,
            self._weighted_metrics, strict=False,
        ):  # fmt: skip
            plain, weighted = ([m for m in listed if m is not None] for listed in (plain, weighted))
            if y_t is None or not (plain or weighted):
                continue
            y_t, y_p, weight = match_dtype_and_rank(y_t, y_p, weight)
            mask = getattr(y_p, "_keras_mask", None)
            weight = apply_mask(y_p, weight, mask)
            for metric in plain:
                metric.update_state(y_t, y_p, sample_weight=mask)
            for metric in weighted:
                metric.update_state(y_t, y_p, sample_weight=weight)

    def reset_state(self):
        """Resets the metrics."""
        for metric in self.metrics:
            metric.reset_state()


def match_dtype_and_rank(y_t, y_p, weight):
    """Targets and weights of rank 1 with a last axis for predictions of rank 2, in their dtype if both are floating."""
    if y_t.shape.rank == 1 and y_p.shape.rank == 2:
        y_t = expand_dims(y_t, -1)
    if weight is not None and weight.shape.rank == 1 and y_p.shape.rank == 2:
        weight = expand_dims(weight, -1)
    if y_t.dtype.is_floating and y_p.dtype.is_floating or y_t.dtype.is_integer and y_p.dtype.is_integer:
        y_t = y_t if y_t.dtype == y_p.dtype else cast(y_t, y_p.dtype)
    return y_t, y_p, weight if weight is None else cast(weight, y_p.dtype)


def _sum(values):
    values = _of_one_dtype(values)
    return values[0] if len(values) == 1 else add_n(values)


def _of_one_dtype(values):
    """Losses in the widest floating dtype among them."""
    floating = [value.dtype for value in values if value.dtype.is_floating]
    widest = max(floating, key=lambda dtype: dtype.size, default=None)
    return [value if widest is None or value.dtype == widest else cast(value, widest) for value in values]


def _name_of(target):
    if hasattr(target, "name"):
        return target.name
    if hasattr(target, "__name__"):
        return target.__name__
    name = re.sub("(.)([A-Z][a-z]+)", r"\1_\2", type(target).__name__)
    return re.sub("([a-z])([A-Z])", r"\1_\2", name).lower()


def _loss_object(loss):
    if loss is None:
        return None
    loss = losses_module.get(loss)
    loss = loss if isinstance(loss, Loss) else LossFunctionWrapper(loss, name=_name_of(loss))
    loss._allow_sum_over_batch_size = True
    return loss


def _copied(metric):
    return type(metric).from_config(metric.get_config()) if isinstance(metric, metrics_module.Metric) else metric


def _metric_object(metric, y_t, y_p):
    if metric is None or isinstance(metric, metrics_module.Metric):
        return metric
    match = _by_shape(str(metric).lower(), y_t.shape.as_list(), y_p.shape.as_list()) or metrics_module.get(metric)
    if isinstance(match, metrics_module.Metric):
        return match
    return metrics_module.MeanMetricWrapper(match, name=metric if isinstance(metric, str) else _name_of(metric))


def _by_shape(name, target, output):
    """The function that "accuracy" or "crossentropy" means for targets and outputs of these shapes."""
    kind = {"accuracy": "accuracy", "acc": "accuracy", "crossentropy": "crossentropy", "ce": "crossentropy"}.get(name)
    if kind is None:
        return None
    if output[-1] == 1:
        return getattr(metrics_module, f"binary_{kind}")
    sparse = len(target) < len(output) or target[-1] == 1 and output[-1] > 1
    return getattr(metrics_module, f"sparse_categorical_{kind}" if sparse else f"categorical_{kind}")
