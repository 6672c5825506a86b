"""What ops know of the function being traced: its assertions and effects, what ends the trace, AutoGraph's status."""
