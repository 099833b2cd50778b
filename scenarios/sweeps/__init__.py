"""Many scenarios: what varies, each point resolved, answered, kept and written down."""
