"""devices.nul"""
