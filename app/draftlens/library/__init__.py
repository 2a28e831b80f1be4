"""Models on disk: what a folder is, whether two can be paired, how the demo pair gets here. No Qt, no MLX."""
