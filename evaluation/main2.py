from evaluation.command_line2 import command_line

if __name__ == "__main__":
    command_line()(prog_name="python -m evaluation")
