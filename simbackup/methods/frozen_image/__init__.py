"""methods.frozen_image"""
