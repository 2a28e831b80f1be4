"""What is kept on disk of conversations: SQLite, one writer thread, nothing lost; no Qt, no MLX."""
