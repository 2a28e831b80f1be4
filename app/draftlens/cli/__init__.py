"""Argument parsing and printing for the command line."""
