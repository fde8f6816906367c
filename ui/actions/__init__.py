"""The operations of Noted, each once: the page, programs and the command line call them or are generated from them.

`table` lists them, `operation` says what one is, `call` who calls it; the others hold the operations by topic.
"""
