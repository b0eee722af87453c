"""Running many chains: threads, executors, clusters."""
