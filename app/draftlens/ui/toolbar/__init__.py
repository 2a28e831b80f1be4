"""What runs and how the next reply is asked for."""
