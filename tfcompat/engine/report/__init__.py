"""What can be learnt about programs: why they were compiled, what they consist of, where their operations come from."""
