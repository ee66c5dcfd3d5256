"""methods.observe"""
