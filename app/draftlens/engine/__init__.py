"""The speculative decoding engine on MLX: no Qt, no database, no network, no printing."""
