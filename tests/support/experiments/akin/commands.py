from pathlib import Path

from assistant.settings import EMBEDDED
from evaluation.command_parts import Commands
from evaluation.streams.commands import Folder, run_streams


def akin(*, out: Folder) -> None:
    """Ask what words are akin to others."""
    from evaluation.streams.experiment import Person, StreamSettings
    from tests.support.experiments.akin.experiment import WORDS, prepare

    run_streams([StreamSettings("akin", "", "en", "app", EMBEDDED, Person(), 0, len(WORDS))], prepare, out, 1)


def write_report(folder: Path) -> Path:
    from tests.support.experiments.akin import experiment

    return experiment.write_report(folder)


COMMANDS = Commands(plans={"akin": akin}, reports={"akin": write_report})
