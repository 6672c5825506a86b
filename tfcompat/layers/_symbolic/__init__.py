"""Calls on KerasTensors: recording them, and inferring the shapes of their outputs."""
