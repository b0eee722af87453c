"""What a user's own graph is worth: judged by the data, and its distance from others."""
