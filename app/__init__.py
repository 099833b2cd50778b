"""The faces of Blocktime: the command line, the what-if page and the self-contained report."""
