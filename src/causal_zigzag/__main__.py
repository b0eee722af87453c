"""`python -m causal_zigzag` is the command `causal-zigzag`."""

from causal_zigzag_command import main

if __name__ == "__main__":
    main()
