"""workloads.users"""
