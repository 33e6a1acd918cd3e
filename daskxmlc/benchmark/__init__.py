"""The benchmark: what a machine reads and evaluates in a second, to size a cluster with."""
