"""What the lessons are drawn from and tested on."""
