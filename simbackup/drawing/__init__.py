"""Pictures of systems, as SVG and as text that other programs draw."""
