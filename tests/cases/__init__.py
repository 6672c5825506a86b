"""Golden test cases, one module per namespace."""
