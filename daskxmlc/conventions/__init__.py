"""Named sets of rules: ties, empty documents, 0/0."""
