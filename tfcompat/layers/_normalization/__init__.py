"""Layers that normalize what passes through."""
