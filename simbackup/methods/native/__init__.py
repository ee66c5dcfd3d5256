"""methods.native"""
