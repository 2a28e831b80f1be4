"""Widgets only."""
