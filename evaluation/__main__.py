"""`python -m evaluation …`, run from the root of the repository."""

from evaluation.command_line import command_line

if __name__ == "__main__":
    command_line()(prog_name="python -m evaluation")
