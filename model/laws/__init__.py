"""Stateless arithmetic: sizes and counts in, seconds or counts out.

Every function takes plain numbers or numpy arrays of one shape and returns the same kind.
No simulation, no files, no input validation: values are checked once, at the border.
"""
