"""What a model wrote, as blocks and runs a window can draw: pure, no Qt, no file or network access."""
