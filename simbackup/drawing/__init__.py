"""Pictures of systems, as SVG and as text for other drawing programs."""
