"""methods.snapshot"""
