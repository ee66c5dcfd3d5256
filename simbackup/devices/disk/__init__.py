"""devices.disk"""
