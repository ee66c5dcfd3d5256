"""Methods: each room holds the spec of a job, its checks, and the work that it does."""
