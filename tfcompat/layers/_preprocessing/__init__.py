"""Layers that prepare data: text, categories, images."""
