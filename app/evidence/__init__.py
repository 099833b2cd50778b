"""The pages Evidence and About."""
