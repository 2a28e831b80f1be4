"""The one thread that imports and runs MLX."""
