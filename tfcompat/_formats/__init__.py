"""Formats of files and messages: protocol buffers, records, checksums. Nothing of tensors or of TensorFlow's API."""

from tfcompat._formats import described as described
