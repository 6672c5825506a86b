"""First runs: short programs, each in a process of its own, with nothing compiled before and then a second time."""
