"""Layers of layers: `Model`, `Sequential`, functional models, and how they are written and cloned."""
