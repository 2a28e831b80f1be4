"""The figures of the newest reply and every round of it."""
