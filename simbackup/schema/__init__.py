"""The language of the files: what they may say, and what is wrong in them."""
