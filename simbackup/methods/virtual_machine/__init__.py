"""methods.virtual_machine"""
