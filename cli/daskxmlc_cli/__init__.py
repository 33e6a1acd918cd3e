"""The command line of daskxmlc."""
