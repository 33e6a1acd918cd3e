"""How chunks of Zarr arrays are read: fast where they lie in local files, strictly everywhere."""
