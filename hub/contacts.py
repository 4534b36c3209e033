"""Tell contacts of the public, which may be repeated, from those of people."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from hub.faults import ContentRules
from hub.personal_data import contacts_in


@dataclass(frozen=True)
class DoubtfulContact:
    """A contact in a text that may repeat what is public.

    Attributes:
        column: Column of the text.
        row: Its row.
        kind: Kind of contact.
        contact: The contact as it stands; never shown.
        known_from: Configs of which one must have it among the public contacts.
    """

    column: str
    row: int
    kind: str
    contact: str = field(repr=False)
    known_from: tuple[str, ...]


class PublicContacts:
    """The contacts in texts that may hold any, such as the telephone numbers in an authority's articles."""

    def __init__(self, rules: ContentRules) -> None:
        self._rules = rules
        self._contacts: defaultdict[tuple[str, str], set[str]] = defaultdict(set)

    def add(self, config: str, kind: str, contacts: Iterable[str]) -> None:
        """Add contacts that stand in a config."""
        self._contacts[config, kind].update(contacts)

    def knows(self, doubtful: DoubtfulContact) -> bool:
        """Return whether a contact stands in one of the configs that make it public.

        A pattern may take in more than the contact, such as the number that begins the next text: what is left
        without the public contacts must be none.
        """
        public = {contact for name in doubtful.known_from for contact in self._contacts[name, doubtful.kind]}
        if doubtful.contact in public:
            return True
        rest = doubtful.contact
        for contact in public:
            if contact in rest:
                rest = re.sub(rf"(?<![\w.+-]){re.escape(contact)}(?![\w-])", " ", rest)
        if rest == doubtful.contact:
            return False
        return all(kind != doubtful.kind for kind, _ in contacts_in(rest, self._rules.patterns))
