"""tensorflow/python/trackable/base.py: what checkpoints find."""

from tfcompat._core.dependencies import Trackable as Trackable
from tfcompat._core.dependencies import TrackableReference as TrackableReference
from tfcompat._private.tracking import no_automatic_dependency_tracking as no_automatic_dependency_tracking
from tfcompat._private.tracking import no_automatic_dependency_tracking_scope as no_automatic_dependency_tracking_scope
