"""Messages of this package, by code: 87x and 88x parsing, 9xx links. `Errors` in `errors.py` has them, and is what is used."""


class BilexicalErrors:
    # bilexical parsing
    UC870 = "{predicted} predicted graphs, but {gold} gold ones. Give one graph for each sentence."
    UC871 = (
        "Graph {number} ({name}): the words of the predicted and of the gold graph differ from word {place} on. "
        "Parse the tokens of the gold file."
    )
    UC872 = (
        "The Doc has other tokens ({n} of them) than when its bilexical graph was stored. Parse it again, or set "
        "`doc._.sdp` after tokens were merged or split."
    )
    UC873 = (
        "What is stored in `doc.user_data['sdp']` is no bilexical graph ({reason}). Set `doc._.sdp` to a "
        "BilexicalGraph, or to None to take it away."
    )
    UC874 = (
        "Cannot read a bilexical graph of version {version}: this release reads version {expected}. Install the "
        "release of spacy-ucca that wrote it, or convert the data again."
    )
    UC875 = "`doc._.sdp` takes a BilexicalGraph or None, not {type}."
    UC876 = (
        "The bilexical graph has {n} words, the Doc {tokens} tokens, or they differ. Make a Doc of the graph's "
        "words: `Doc(vocab, words=graph.words)`."
    )
    UC877 = "There are no edge features called {names}. Use some of: {known}."
    UC880 = "Arcs of empty words cannot be treated as '{name}'. Use one of: {known}."
    UC881 = "{path}: its name does not say what it is. Give a file that ends in one of {known}."
    UC882 = (
        "Doc {number} of {where} has no bilexical graph. Make the file with `spacy-ucca bilexical`, or set "
        "`doc._.sdp` and store it with `DocBin(store_user_data=True)`."
    )
    UC883 = "Doc {number} of {where}: {reason}"
    UC884 = (
        "The Doc '{text}...' has no bilexical graph to make a UCCA graph of. Put an `sdp_parser` that was trained on "
        "UCCA graphs (`spacy-ucca bilexical`) before this component."
    )
    UC885 = (
        "The bilexical graph of the Doc '{text}...' is none of UCCA: {reason} Train `sdp_parser` on UCCA graphs, and "
        "set `tree = true` in its config."
    )
    UC886 = (
        "{path} has no enhanced dependencies: column 9 is empty. Take a treebank that has them, or name the file .conllx, "
        "whose graphs are the basic trees of columns 7 and 8."
    )
    UC878 = "No loss is called '{name}'. Use one of: {known}."
    UC879 = (
        "Component '{name}' found no arc in the training data, so no labels. It learns `doc._.sdp`: check that the "
        "files were made by `spacy-ucca bilexical` and are read by `spacy-ucca.SdpCorpus.v1`."
    )

    # links and their directions
    UC900 = "The link {link} is not one from a token, or -1 for the wall, to a later one of the {n} tokens, with a label."
    UC901 = "Link Grammar is not installed: the library `liblink-grammar.so.5` was not found. On Debian: {install}"
    UC902 = "Link Grammar has no dictionary for '{lang}'. English is 'en', Russian 'ru'. On Debian: {install}"
    UC903 = "The process of Link Grammar ended, or did not answer, while it loaded the dictionary '{lang}'."
    UC904 = (
        "{path} has no sentence whose links join its tokens to the wall: there is nothing to orient. Make a file of links "
        "with `spacy-ucca links`."
    )
    UC905 = (
        "The links of sentence '{id}' ('{text}') do not join its tokens to the wall: no directions make all of them "
        "reachable. Leave it out."
    )
    UC906 = "This needs HiGHS, a solver of integer programs: {install}"
    UC907 = "No directions make all sentences acyclic and reachable. This cannot happen: please report it."
    UC908 = "There are no link graphs to find directions for."
    UC909 = "No directions were found in {seconds:g} seconds. Give more time, or fewer sentences."
    UC910 = "Sentence '{id}' has other tokens in the file of dependencies. Give the file that the links were made from."
    UC911 = (
        "Sentence '{id}' of {path} is not in the files of dependencies (--ud). Give the files that the links were made "
        "from; sentences are found by their ids."
    )
    UC912 = "{path} is to be read and written. Give another place for the output."
