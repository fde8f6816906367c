"""The operations of Noted, each once: the page, programs and the command line call them or are generated from them."""
