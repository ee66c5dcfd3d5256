"""methods.write"""
