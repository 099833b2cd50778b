"""Queues, schedulers and drives, and the counters of iostat."""
