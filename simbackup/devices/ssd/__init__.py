"""devices.ssd"""
