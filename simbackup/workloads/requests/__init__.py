"""workloads.requests"""
