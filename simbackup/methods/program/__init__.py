"""Programs as data: phases of groups of workers, who repeat steps in series, as a datasheet lists them."""
