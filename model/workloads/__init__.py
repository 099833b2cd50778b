"""What asks the machine: three families of workload that do not know each other, and the one table of them."""
