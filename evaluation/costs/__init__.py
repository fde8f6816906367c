"""What Noted costs: the speed of recall and saving, and the page with many readers."""
