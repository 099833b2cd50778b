"""Programs that read or write a file, call by call."""
