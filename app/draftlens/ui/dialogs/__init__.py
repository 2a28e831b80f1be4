"""Dialogs: each asks or shows one thing."""
