"""What makes texts comparable across spellings, scripts and languages, and ways of asking told apart."""
