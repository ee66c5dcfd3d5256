"""How uncertain an answer is: from the ranges of its inputs, and from what the model leaves out."""
