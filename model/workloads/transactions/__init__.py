"""Users who run transactions and think between them."""
