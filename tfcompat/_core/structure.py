"""What an operation is made of that holds recorded functions, for those who write it down in another form."""


class Structure:
    """The parts of an operation of control flow, with a custom gradient, or that is computed again for its gradient.

    It is the attribute `structure` of the operation's function. `kind` is "branches", "while", "count", "recur",
    "scan", "map", "custom gradient" or "recomputed"; the other attributes are those of the function that makes the
    operation.
    """

    def __init__(self, kind, **parts):
        self.kind = kind
        self.__dict__.update(parts)
