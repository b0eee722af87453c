"""What every room needs: validation of values, random numbers, atomic writes, interrupts."""
