"""methods.restore"""
