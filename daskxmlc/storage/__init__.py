"""Where matrices live: every format of scores and truth, one file each."""
