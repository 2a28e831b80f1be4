"""The conversations at the left."""
