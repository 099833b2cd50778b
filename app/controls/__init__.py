"""What the specification says of a field, and the controls that change it."""
