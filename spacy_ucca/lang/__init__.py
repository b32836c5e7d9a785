"""Words of languages: a file a language, and `register_words` for one's own. Pure Python.

Not here: words that tags and features of Universal Dependencies tell without a list.
"""

from .words import Words, any_words, cached, get_words, make_words, register_words, words_in

__all__ = ["Words", "any_words", "cached", "get_words", "make_words", "register_words", "words_in"]
