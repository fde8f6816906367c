"""What every experiment is made of: data sets, the app as a subject, a runner that goes on, and one kind of report."""
