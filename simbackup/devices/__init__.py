"""Devices: a room each, with what a file may say of it, what takes time, and how one is made from the other."""
