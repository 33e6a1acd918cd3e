"""Which labels and which documents a number speaks of: one file a task."""
