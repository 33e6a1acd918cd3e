"""The conductor: from matrices to results, on any Dask scheduler."""
