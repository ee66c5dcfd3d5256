"""Devices: each room holds the spec of a device, the live device, and the function that makes it."""
