"""The models: installed, on the hub, on their way, and which go together."""
