"""What a person prefers: one frozen value and the TOML file it is kept in; no Qt, no MLX."""
