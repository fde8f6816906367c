"""What facts that were told are worth: simulated teachers, and questions that strangers wrote."""
