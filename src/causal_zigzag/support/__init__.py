"""Used by every folder: validation of values, random numbers, atomic writes, interrupts."""
