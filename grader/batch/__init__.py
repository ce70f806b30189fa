"""Grades a folder of submissions on this machine."""
