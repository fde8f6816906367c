"""What a person says and does about an answer: corrections found, clarifications saved, reactions learnt from."""
