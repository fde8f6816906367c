"""The Insights page: how well it goes, in numbers and plots."""
