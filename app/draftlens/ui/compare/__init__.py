"""The Compare screen: arms side by side, their rounds, and the table of what may be concluded."""
