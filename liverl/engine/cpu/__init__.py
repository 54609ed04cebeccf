"""verl on a machine without an accelerator: platform, continuous batching, replica, weight transfer."""
