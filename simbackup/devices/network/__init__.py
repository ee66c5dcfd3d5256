"""devices.network"""
