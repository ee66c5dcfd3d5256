"""devices.mirror"""
