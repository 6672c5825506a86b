"""State of the trace of a function that the ops in it share: assertions, effects, what ends it, AutoGraph's status."""
