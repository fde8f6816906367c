"""The operations of Noted, defined once; page, API and command line call them or are generated from them."""
