"""The conversation: what the user wrote, the replies as they stream, and where to write."""
