"""What an exception was raised because of."""


def causes_of(error):
    """An exception, and those that it was raised because of, each once.

    Exceptions that are kept and raised again can be causes of each other.
    """
    seen = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__
