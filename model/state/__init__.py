"""What a mechanism remembers, without a clock."""
