"""The commands that share what is remembered with everyone: `noted memory offer …`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from assistant.sharing import Offered, OfferState
from assistant.text.cleaning import checked
from assistant.types import Scope, day_of
from ui.server.identity import LOCAL_PERSON
from ui.terminal.command_parts import (
    AsJson,
    Compose,
    EntryId,
    Home,
    User,
    Yes,
    agree,
    echo,
    entry_named,
    opened_there,
    print_json,
)
from ui.words.texts import ENGLISH

OfferId = Annotated[str, typer.Argument(metavar="OFFER", help="Id of the offer; `memory offers` shows it.")]
Decides = Annotated[str, typer.Option("--user", help="The curator who decides.", metavar="U")]
Wording = Annotated[str | None, typer.Option(help="What everyone gets, where that is not what was offered.")]
Reason = Annotated[str, typer.Option(help="Why, for the person who offered it.")]

_MOST = 1000


def add_sharing_commands(memory: typer.Typer, compose: Compose) -> None:
    """Add the commands to a group."""

    @memory.command()
    def offer(entry: EntryId, user: User = LOCAL_PERSON, home: Home = None, *, yes: Yes = False) -> None:
        """Offer an entry to everyone; a curator decides."""
        with opened_there(compose, home) as services:
            named = entry_named(services, entry, Scope(user))
            agree(ENGLISH["offer_sure"], yes=yes)
            made = services.sharing.offer(named, Scope(user))
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
                offer = offered.offer
                echo(f"{offer.id}  {offer.state}  {day_of(offer.offered)}  {offered.who}")
                echo("\n".join(_told(offered)))
            if not found:
                echo("Nobody offers anything, and nothing is shared.", err=True)

    @memory.command()
    def accept(
        offer: OfferId, text: Wording = None, user: Decides = LOCAL_PERSON, home: Home = None, *, yes: Yes = False
    ) -> None:
        """Let what was offered count for everyone."""
        with opened_there(compose, home) as services:
            words = None if text is None else checked(text, services.assistant.limits.clarification)
            curator = services.sharing.curator(Scope(user))
            known = {offered.offer.id: offered for offered in services.sharing.offers(curator, _MOST)}
            seen = known[offer].seal if offer in known else ""
            if seen and not yes:
                echo("\n".join(_told(known[offer])), err=True)
                agree(ENGLISH["offer_accept_sure"], yes=yes)
            services.sharing.accept(offer, curator, words, seen)
            echo("Accepted.", err=True)

    @memory.command()
    def decline(
        offer: OfferId, reason: Reason = "", user: Decides = LOCAL_PERSON, home: Home = None, *, yes: Yes = False
    ) -> None:
        """Decline what was offered, or share it no longer."""
        with opened_there(compose, home) as services:
            curator = services.sharing.curator(Scope(user))
            agree("It cannot be offered again until its owner changes it. Decline it?", yes=yes)
            services.sharing.decline(offer, reason, curator)
            echo("Declined.", err=True)


def _told(offered: Offered) -> list[str]:
    """All that everyone gets with an offer, a line each."""
    return [f"  {offered.copy.shown!r}", *(f"  {line}" for line in offered.told)]


def _fields(offered: Offered) -> dict[str, Any]:
    return {
        "offer": offered.offer.id,
        "state": offered.offer.state,
        "who": offered.who,
        "offered": offered.offer.offered.isoformat(),
        "kind": offered.copy.kind.name,
        "question": offered.copy.question,
        **offered.copy.body.stored(),
        "found_by": list(offered.found_by),
    }
