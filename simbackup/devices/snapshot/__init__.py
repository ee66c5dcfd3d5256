"""devices.snapshot"""
