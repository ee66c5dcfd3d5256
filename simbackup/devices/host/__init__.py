"""devices.host"""
