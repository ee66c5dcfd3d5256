"""Methods: a room each, with what a job may say, its checks, and the work that it does."""
