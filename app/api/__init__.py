"""Python's door: names and dictionaries go in, answers come out that show themselves in a notebook."""
