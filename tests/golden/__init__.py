"""Every answer of the library, frozen: what a change of code moves is seen in the differences of these files."""
