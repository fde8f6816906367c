"""The harness of every experiment: data sets, the app as a subject, a resumable runner, one report format."""
