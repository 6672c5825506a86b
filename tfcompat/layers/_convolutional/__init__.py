"""Convolutions, separable and locally connected ones."""
