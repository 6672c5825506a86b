"""Programs of several replicas."""

# Operation of one value from each replica -> what it does with them: "sum" or "gather".
COLLECTIVES: dict = {}
