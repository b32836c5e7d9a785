"""Divide the data of SemEval 2014 Task 8 (DM, PAS and PCEDT) by section, as the task does.

    python scripts/split_sdp.py DATA OUT

DATA, or its folders `train` and `test`, have the files of the release: dm.sdp, pas.sdp and pcedt.sdp, or those of 2015. Writes
OUT/train/dm.sdp (sections 00 to 19), OUT/dev/dm.sdp (20), OUT/test/dm.sdp (21), and likewise for `pas` and `pcedt`. Nothing is
written if a file or a section is missing, or a file is broken.
"""

import re
import sys
from pathlib import Path

from spacy_ucca.errors import UccaError
from spacy_ucca.files import write_whole
from spacy_ucca.formats.sdp import format_sdp, iter_sdp
from spacy_ucca.formats.text import open_lines

# By formalism, the names of its files: of 2014, and of 2015
FILES = {
    "dm": ("dm.sdp", "en.dm.sdp", "en.id.dm.sdp"),
    "pas": ("pas.sdp", "en.pas.sdp", "en.id.pas.sdp"),
    "pcedt": ("pcedt.sdp", "en.psd.sdp", "en.id.psd.sdp"),
}
FOLDERS = ("", "train", "test")
SPLITS = {"train": range(20), "dev": range(20, 21), "test": range(21, 22)}
ID = re.compile(r"2([0-9]{2})[0-9]{5}", re.ASCII)
REMEDY = (
    "The data is licensed by the LDC (https://catalog.ldc.upenn.edu/LDC2016T10; some of it is in Open SDP, "
    "http://sdp.delph-in.net/osdp-12.tgz). Unpack it and name the directory that has dm.sdp, pas.sdp and pcedt.sdp, or "
    "en.dm.sdp, en.pas.sdp and en.psd.sdp: --vars.data DIR."
)


def find_files(data: Path) -> dict[str, list[Path]]:
    """RETURNS (Dict[str, List[Path]]): The files of each formalism. Ends the program if there are none."""
    if not data.is_dir():
        sys.exit(f"{data} is {'no directory' if data.exists() else 'missing'}. {REMEDY}")
    found = {}
    for formalism, names in FILES.items():
        paths = [data / folder / name for folder in FOLDERS for name in names]
        found[formalism] = [path for path in paths if path.is_file()]
        if not found[formalism]:
            sys.exit(f"{data} has no file of {formalism.upper()} ({' or '.join(names)}). {REMEDY}")
    return found


def split(files: list[Path]) -> dict[str, list[str]]:
    """Divide the sentences of a formalism.

    files (List[Path]): Its files.
    RETURNS (Dict[str, List[str]]): The sentences of each split, as rows. Ends the program if a split is empty, or a sentence has
        no section or is there twice.
    """
    blocks: dict[str, list[str]] = {name: [] for name in SPLITS}
    place: dict[str, Path] = {}
    for path in files:
        with open_lines(path) as lines:
            for graph in iter_sdp(lines, source=str(path)):
                match = ID.fullmatch(graph.id)
                if match is None:
                    sys.exit(
                        f"{path}: the id '{graph.id}' of a sentence does not say its section, as 22100001 does. Give the "
                        "English files of the task."
                    )
                if graph.id in place:
                    sys.exit(
                        f"Sentence {graph.id} is in {place[graph.id]} and again in {path}. Take one away."
                    )
                place[graph.id] = path
                for name, sections in SPLITS.items():
                    if int(match[1]) in sections:
                        blocks[name].append(format_sdp(graph, year=2014))
    for name, sections in SPLITS.items():
        if not blocks[name]:
            wanted = f"{sections[0]:02} to {sections[-1]:02}" if len(sections) > 1 else sections[0]
            sys.exit(
                f"{', '.join(map(str, files))}: no sentence of section {wanted} ({name}). Add the file of the release that has "
                f"it, in a folder `{'test' if name == 'test' else 'train'}`."
            )
    return blocks


def main(arguments: list[str]) -> None:
    """Read all files, then write the splits."""
    data, out = map(Path, arguments)
    if out.is_file() or data.resolve() in (out.resolve(), *out.resolve().parents):
        sys.exit(f"{out} is a file, or lies in {data}, which is read. Give another directory.")
    try:
        divided = {formalism: split(files) for formalism, files in find_files(data).items()}
    except UccaError as error:
        sys.exit(f"{error}")
    for formalism, blocks in divided.items():
        for name, sentences in blocks.items():
            path = out / name / f"{formalism}.sdp"
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, "\n".join(sentences))
            print(f"{path}: {len(sentences)} sentences")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1:])
