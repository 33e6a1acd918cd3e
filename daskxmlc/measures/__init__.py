"""What is said: measures as pure functions of tables, one file a family."""
