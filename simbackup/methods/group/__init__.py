"""methods.group"""
