"""Services that answer so many operations a second: a metadata server, a catalogue, an interface with a quota."""
