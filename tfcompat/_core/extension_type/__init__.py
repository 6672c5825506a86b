"""Extension types: values that a program makes of tensors, and what ops do with them."""
