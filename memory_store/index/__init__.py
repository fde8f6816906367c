"""What finds: the LanceDB table of keys, kept up with the ledger, and the matrices that questions are compared with."""
