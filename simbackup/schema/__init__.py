"""What files may say, and what is wrong with them."""
