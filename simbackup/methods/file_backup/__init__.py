"""methods.file_backup"""
