"""The what-if page: a server on this machine, and what it shows. Only this room imports the libraries of the server."""
