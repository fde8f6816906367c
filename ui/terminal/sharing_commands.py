"""The commands that share what is remembered with everyone: `python app.py memory offer …`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from assistant.sharing import Offered, OfferState
from assistant.text.cleaning import checked
from assistant.types import Scope, day_of
from ui.server.identity import LOCAL_PERSON
from ui.terminal.command_parts import AsJson, Compose, EntryId, Home, User, echo, entry_named, opened_there, print_json

OfferId = Annotated[str, typer.Argument(metavar="OFFER", help="Id of the offer; `memory offers` shows it.")]
Decides = Annotated[str, typer.Option("--user", help="The curator who decides.", metavar="U")]
Wording = Annotated[str | None, typer.Option(help="What everyone gets, where that is not what was offered.")]
Reason = Annotated[str, typer.Option(help="Why, for the person who offered it.")]

_MOST = 1000


def add_sharing_commands(memory: typer.Typer, compose: Compose) -> None:
    """Add the commands to a group."""

    @memory.command()
    def offer(entry: EntryId, user: User = LOCAL_PERSON, home: Home = None) -> None:
        """Offer an entry to everyone; a curator decides."""
        with opened_there(compose, home) as services:
            made = services.sharing.offer(entry_named(services, entry, Scope(user)), Scope(user))
            echo(made.id)
            echo("Shared with everyone." if made.state is OfferState.ACCEPTED else "Offered.", err=True)

    @memory.command()
    def withdraw(entry: EntryId, user: User = LOCAL_PERSON, home: Home = None) -> None:
        """Offer or share an entry no longer."""
        with opened_there(compose, home) as services:
            services.sharing.withdraw(entry_named(services, entry, Scope(user)), Scope(user))
            echo("Withdrawn.", err=True)

    @memory.command()
    def offers(user: Decides = LOCAL_PERSON, home: Home = None, *, as_json: AsJson = False) -> None:
        """List what waits for a curator, and what is shared with everyone."""
        with opened_there(compose, home) as services:
            found = services.sharing.offers(services.sharing.curator(Scope(user)), _MOST)
            if as_json:
                print_json([_fields(offered) for offered in found])
                return
            for offered in found:
                offer, said = offered.offer, f"{offered.question!r} means {offered.text!r}"
                echo(f"{offer.id}  {offer.state}  {day_of(offer.offered)}  {offered.who}: {said}")
            if not found:
                echo("Nobody offers anything, and nothing is shared.", err=True)

    @memory.command()
    def accept(offer: OfferId, text: Wording = None, user: Decides = LOCAL_PERSON, home: Home = None) -> None:
        """Let what was offered count for everyone."""
        with opened_there(compose, home) as services:
            words = None if text is None else checked(text, services.assistant.limits.clarification)
            services.sharing.accept(offer, services.sharing.curator(Scope(user)), words)
            echo("Accepted.", err=True)

    @memory.command()
    def decline(offer: OfferId, reason: Reason = "", user: Decides = LOCAL_PERSON, home: Home = None) -> None:
        """Decline what was offered, or share it no longer."""
        with opened_there(compose, home) as services:
            services.sharing.decline(offer, reason, services.sharing.curator(Scope(user)))
            echo("Declined.", err=True)


def _fields(offered: Offered) -> dict[str, Any]:
    return {
        "offer": offered.offer.id,
        "state": offered.offer.state,
        "who": offered.who,
        "offered": offered.offer.offered.isoformat(),
        "question": offered.question,
        "text": offered.text,
        "misunderstood": offered.misunderstood,
    }
