"""methods.copy"""
