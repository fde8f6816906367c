"""Build the folder for Hugging Face Spaces: the app, a README with its settings, and requirements.

python -m tools.build_space [FOLDER]
"""

import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "space"
PARTS = ("app.py", "LICENSE", "requirements.txt", "assistant", "memory_store", "prompts", "seed", "ui")
"""Parts of the repository that the app needs."""
_EXCLUDED = shutil.ignore_patterns("__pycache__", "*.pyi")


def main(folder: Path = FOLDER) -> None:
    """Rebuild the folder; its `.git` stays."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        if old.name != ".git":
            shutil.rmtree(old) if old.is_dir() else old.unlink()
    for name in PARTS:
        part = ROOT / name
        if part.is_dir():
            shutil.copytree(part, folder / name, ignore=_EXCLUDED)
        else:
            shutil.copy(part, folder / name)
    # Without hashes: a Space may install other packages in the same command, and pip needs hashes for all or none.
    pins = re.sub(r" \\\n +--hash=\S+", "", (ROOT / "requirements.txt").read_text(encoding="utf-8"))
    constraints = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    llama = re.findall(r"^xllamacpp==\S+\n", constraints, re.MULTILINE)  # runs the model that the README preloads
    (folder / "requirements.txt").write_text("".join([pins, *llama]), encoding="utf-8")
    gradio = re.search(r"^gradio==(\S+)", pins, re.MULTILINE)
    if gradio is None:
        sys.exit("requirements.txt pins no gradio; please run `make requirements`.")
    readme = (ROOT / "tools/data/space/README.md").read_text(encoding="utf-8")
    (folder / "README.md").write_text(readme.replace("{gradio}", gradio[1]), encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
