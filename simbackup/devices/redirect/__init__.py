"""devices.redirect"""
