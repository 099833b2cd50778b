"""What the pages share: the address, the scenario shown, pins, downloads, and simulations under way."""
