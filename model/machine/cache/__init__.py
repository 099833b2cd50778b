"""What the buffer cache keeps."""
