"""What a tape tells about itself: why a gradient is None, and pictures of what it recorded."""
