"""Work that saves nothing: virtual machines are suspended and resumed, arrays rebuilt, users watched."""
