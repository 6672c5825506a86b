"""Calls on KerasTensors: what they record, and which shapes come out."""
