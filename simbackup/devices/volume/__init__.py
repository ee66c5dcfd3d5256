"""devices.volume"""
