"""Other tools that evaluate, measured on the same scores where they are installed."""
