"""What a machine remembers, without a clock: devices, cache, segments and the host."""
