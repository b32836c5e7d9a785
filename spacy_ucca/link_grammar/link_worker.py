"""The Link Grammar library as a program: it reads sentences from standard input and writes a line of JSON for each.

The library ends its process on input that it cannot take, and does not always keep its time limit, so it needs a process of
its own. The program is run by its path and imports only the standard library, so that it starts at once. The functions of
the library are in `link-includes.h` of its version 5.

    python link_worker.py en 10
    {"version": "link-grammar-5.12.0"}
    "Jill skips."                           (standard input)
    {"status": "parsed", "words": [["LEFT-WALL", 0, 0], ["Jill.f", 0, 4], ...], "links": [[0, 3, "Xp"], ...]}
"""

import ctypes
import ctypes.util
import json
import sys
from typing import Any

NAMES = ("liblink-grammar.so.5", "liblink-grammar.5.dylib", "link-grammar")
# Linkages that are scored for a sentence with many; the program `link-parser` has the same limit.
LINKAGES = 1000
_POINTER, _SIZE, _INT = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
_TEXT = ctypes.c_char_p
_FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "linkgrammar_get_version": (_TEXT,),
    "lg_error_set_handler": (_POINTER, _POINTER, _POINTER),
    "dictionary_create_lang": (_POINTER, _TEXT),
    "parse_options_create": (_POINTER,),
    "parse_options_reset_resources": (None, _POINTER),
    "parse_options_resources_exhausted": (ctypes.c_bool, _POINTER),
    "sentence_create": (_POINTER, _TEXT, _POINTER),
    "sentence_delete": (None, _POINTER),
    "sentence_split": (_INT, _POINTER, _POINTER),
    "sentence_parse": (_INT, _POINTER, _POINTER),
    "sentence_length": (_INT, _POINTER),
    "sentence_num_valid_linkages": (_INT, _POINTER),
    "linkage_create": (_POINTER, _SIZE, _POINTER, _POINTER),
    "linkage_delete": (None, _POINTER),
    "linkage_get_num_words": (_SIZE, _POINTER),
    "linkage_get_num_links": (_SIZE, _POINTER),
    "linkage_get_word": (_TEXT, _POINTER, _SIZE),
    "linkage_get_word_char_start": (_SIZE, _POINTER, _SIZE),
    "linkage_get_word_char_end": (_SIZE, _POINTER, _SIZE),
    "linkage_get_link_lword": (_SIZE, _POINTER, _SIZE),
    "linkage_get_link_rword": (_SIZE, _POINTER, _SIZE),
    "linkage_get_link_label": (_TEXT, _POINTER, _SIZE),
}


class Library:
    """The library with a dictionary.

    lang (str): The language of the dictionary, such as "en" or "ru".
    timeout (int): Seconds for each of two attempts: with all words, then without some.
    RAISES (OSError): If the library is not there.
    RAISES (LookupError): If it has no such dictionary.
    """

    def __init__(self, lang: str, timeout: int) -> None:
        self.lib = _load()
        for name, (result, *arguments) in _FUNCTIONS.items():
            function = getattr(self.lib, name)
            function.restype, function.argtypes = result, arguments
        self.lib.lg_error_set_handler(None, None)  # messages are kept, not printed
        self.version: str = self.lib.linkgrammar_get_version().decode()
        self.dictionary = self.lib.dictionary_create_lang(lang.encode())
        if not self.dictionary:
            raise LookupError(lang)
        self.options = self.lib.parse_options_create()
        # Guesses at spelling need a dictionary of another program, and would not be the same everywhere.
        values = {"verbosity": 0, "spell_guess": 0, "display_morphology": 0, "islands_ok": 0}
        self._set(**values, linkage_limit=LINKAGES, max_parse_time=timeout)

    def _set(self, **values: int) -> None:
        for name, value in values.items():
            function = getattr(self.lib, f"parse_options_set_{name}")
            function.restype, function.argtypes = None, [_POINTER, _INT]
            function(self.options, value)

    def parse(self, text: str) -> dict[str, Any]:
        """Parse a sentence: first with all words, then with as few dropped as are needed.

        text (str): The sentence, with something in it beside whitespace.
        RETURNS (Dict[str, Any]): A `status`: "parsed", "timeout" or "no parse"; if it is parsed, `words`: each with the
            place of its first character and that after its last, both walls among them, in brackets if it was dropped;
            and `links`: the words on the left and right, and the label.
        """
        sentence = self.lib.sentence_create(text.encode("utf8", "replace"), self.dictionary)
        if not sentence:
            return {"status": "no parse"}
        try:
            if self.lib.sentence_split(sentence, self.options) < 0:
                return {"status": "no parse"}
            for least, most in ((0, 0), (1, self.lib.sentence_length(sentence))):
                self._set(min_null_count=least, max_null_count=most)
                self.lib.parse_options_reset_resources(self.options)
                self.lib.sentence_parse(sentence, self.options)
                if self.lib.parse_options_resources_exhausted(self.options):
                    return {"status": "timeout"}
                if self.lib.sentence_num_valid_linkages(sentence) > 0:
                    return self._linkage(sentence)
            return {"status": "no parse"}
        finally:
            self.lib.sentence_delete(sentence)

    def _linkage(self, sentence: Any) -> dict[str, Any]:
        lib = self.lib
        linkage = lib.linkage_create(0, sentence, self.options)
        if not linkage:
            return {"status": "no parse"}
        try:
            words = [
                (
                    lib.linkage_get_word(linkage, i).decode("utf8", "replace"),
                    lib.linkage_get_word_char_start(linkage, i),
                    lib.linkage_get_word_char_end(linkage, i),
                )
                for i in range(lib.linkage_get_num_words(linkage))
            ]
            links = [
                (
                    lib.linkage_get_link_lword(linkage, i),
                    lib.linkage_get_link_rword(linkage, i),
                    lib.linkage_get_link_label(linkage, i).decode(),
                )
                for i in range(lib.linkage_get_num_links(linkage))
            ]
        finally:
            lib.linkage_delete(linkage)
        return {"status": "parsed", "words": words, "links": links}


def _load() -> Any:
    for name in NAMES:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    library = ctypes.util.find_library("link-grammar")
    if not library:
        raise OSError("link-grammar")
    return ctypes.CDLL(library)


def main(lang: str, timeout: str) -> None:
    """Answer sentences until the input ends."""
    try:
        library = Library(lang, int(timeout))
    except (OSError, LookupError) as err:
        _answer({"missing": type(err).__name__})
        return
    _answer({"version": library.version})
    for line in sys.stdin:
        _answer(library.parse(json.loads(line)))


def _answer(value: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
