"""Where a run computes: in this process, on this machine, on a running scheduler."""
