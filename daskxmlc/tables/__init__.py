"""What is counted: small tables of whole numbers that add."""
