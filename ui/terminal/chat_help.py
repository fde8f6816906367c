"""What one can do in a conversation in a terminal, as `/help` says it."""

HELP = """\
Ask something. Where it was understood wrong, say so in your own words, or use one of these:

  /no WORDS        what you meant: it is remembered, and the question is answered again
  /yes             that's it: the answer is kept as an example
  /reach WHICH     for which questions that counts: question, way or conversation
  /instead [N]     what you said before of the same question counts no more (the Nth of it); /beside [N] [WHY]: both do;
                   of facts that do not go together, this one holds
  /leave-out [N]   answer again without what came from memory (the Nth of it)
  /not-like-this   what was left out is not used for questions like this; /not-at-all pauses it
  /resume          use it again
  /why             on what the answer rests; /wrong N [WORDS]: that is not so, it is …; /does-not-matter N;
                   /true N: it is so, though not believed; /does-not-follow yes; /missing WORDS; /answer WORDS
  /think WORDS     think a question through, which takes many calls of the model
  /keep [N]        keep what is proposed of a message (the Nth of it) on your fact sheet; with thing | what | thing
                   behind it, as that says; /drop [N]: not; /unkeep [N]: take that back
  /drafts          answer in three ways, and show them; /take N: the Nth of them is the answer
  /lesson keep     keep the lesson that was drafted of what you said, or in other WORDS behind it; /lesson drop: not;
                   /lesson undo: take that back; /lesson: all that wait
  /undo            take back what was remembered, or taken of several ways, last
  /memory [WORDS]  what is remembered; with words, what contains them
  /new             begin a new conversation
  /quit            leave

Ctrl-C stops an answer; where there is none, it leaves. A line that is to begin with / begins with //."""
