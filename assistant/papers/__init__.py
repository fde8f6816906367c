"""The systems of four papers, one package each, that share the entries, the retriever and the gate."""
