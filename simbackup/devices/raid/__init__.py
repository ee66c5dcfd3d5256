"""devices.raid"""
