"""Blocktime: where the time goes when Oracle reads and writes blocks on Linux."""
