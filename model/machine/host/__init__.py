"""What the operating system keeps in memory."""
