"""methods.database"""
