"""What Noted costs: the speed of recall, saving and the disk, and the page with many readers."""
