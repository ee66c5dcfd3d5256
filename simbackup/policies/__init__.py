"""Policies: which backups run on which days, what each needs, and how long each is kept. It knows no simulation."""
