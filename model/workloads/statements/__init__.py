"""One SQL statement, in one or several sessions."""
