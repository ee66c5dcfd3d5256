"""What is on record of a run: what jobs spent their time on, the rates of links, events; and labels with colours."""
