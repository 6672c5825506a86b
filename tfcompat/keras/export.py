"""`tf.keras.export`: SavedModels with endpoints of one's own."""

from tfcompat._package.missing import missing as _missing
from tfcompat.keras._saving.archive import ExportArchive as ExportArchive

__getattr__ = _missing("tf.keras.export")
