"""Models: `Model`, `Sequential`, functional models, and how they are saved and cloned."""
