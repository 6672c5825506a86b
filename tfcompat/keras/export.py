"""`tf.keras.export`: SavedModels with endpoints of one's own."""

from tfcompat.keras._saving.archive import ExportArchive as ExportArchive
