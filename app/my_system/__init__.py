"""The page My system."""
