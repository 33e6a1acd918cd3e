"""One band of documents in memory: compiled kernels that find ranks, hits and counts."""
