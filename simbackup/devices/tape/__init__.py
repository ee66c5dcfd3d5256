"""devices.tape"""
