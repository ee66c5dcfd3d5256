"""Mirrors of volumes that are split off as frozen images."""
