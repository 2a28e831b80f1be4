"""Values and protocols that everything else speaks; standard library only."""
