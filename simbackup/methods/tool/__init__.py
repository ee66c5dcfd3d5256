"""methods.tool"""
