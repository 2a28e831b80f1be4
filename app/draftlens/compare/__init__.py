"""Comparisons: arms on one prompt, their schedule, paired statistics, readings in words, and files of them."""
