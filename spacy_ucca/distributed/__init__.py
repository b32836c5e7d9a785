"""Parse more than one process can: on one machine, or on several."""
