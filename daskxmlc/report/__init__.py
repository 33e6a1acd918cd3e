"""Results, and the forms in which they are written."""
