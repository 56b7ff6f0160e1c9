import { Inject, Injectable } from '@nestjs/common';
import { EXTERNAL_URL } from '#directory/auth';
import { substitutedUserId, VisibleUsersRepository } from '#directory/guest-access';
import { isGuest } from '#directory/roles';
import { type Caller, isRowId } from '#platform/contracts';
import { realmHost } from '#platform/core';
import { conversationKey, membersOf } from '../sending/new-message.rules.js';
import { NarrowRepository } from './narrow.repository.js';
import type { PersonReference, Term } from './term.js';
import { badNarrow } from './term.rules.js';

/** The people and the conversations of a narrow, by the terms that name them. */
export interface PeopleOfNarrow {
  /** Throws `badNarrow` for an unknown user. */
  readonly idOf: (person: PersonReference, given: string) => number;
  /** The conversation of exactly these people and the caller; null if they have none. */
  readonly conversationOf: (people: readonly PersonReference[], given: string) => number | null;
}

const namedBy = (term: Term): readonly PersonReference[] => {
  if (term.operator === 'dm') return term.people;
  return 'person' in term ? [term.person] : [];
};

/** Looks up the people whom narrows name. */
@Injectable()
export class PeopleFinder {
  constructor(
    private readonly narrows: NarrowRepository,
    private readonly visibleUsers: VisibleUsersRepository,
    @Inject(EXTERNAL_URL) private readonly externalUrl: URL,
  ) {}

  /**
   * Looks up everyone whom the terms name, in at most three statements; none without names. A guest finds a user whom
   * the guest cannot see by the id or the substitute address, which messages show, and not by the real address.
   */
  async find(caller: Caller, terms: readonly Term[]): Promise<PeopleOfNarrow> {
    const idsByEmail = await this.#idsOf(caller, terms.flatMap(namedBy));
    const idOf = (person: PersonReference, given: string): number => {
      const id = idsByEmail(person);
      if (id === null) throw badNarrow(`unknown user ${given}`);
      return id;
    };
    const membersFor = (people: readonly PersonReference[], given: string) =>
      membersOf(
        caller.userId,
        people.map((person) => idOf(person, people.length > 1 ? `in ${given}` : given)),
      );
    const keys = terms.flatMap((term) =>
      term.operator === 'dm' ? [conversationKey(membersFor(term.people, term.given))] : [],
    );
    const conversations =
      keys.length === 0 ? new Map() : await this.narrows.conversations(caller.realm.id, keys);
    return {
      idOf,
      conversationOf: (people, given) =>
        people.length === 0
          ? null
          : (conversations.get(conversationKey(membersFor(people, given))) ?? null),
    };
  }

  async #idsOf(
    caller: Caller,
    people: readonly PersonReference[],
  ): Promise<(person: PersonReference) => number | null> {
    if (people.length === 0) return () => null;
    const host = realmHost(this.externalUrl, caller.realm.subdomain);
    const isLimited = isGuest(caller.role);
    const substituted = (email: string) => (isLimited ? substitutedUserId(email, host) : null);
    const emails = people.flatMap((person) => ('email' in person ? [person.email] : []));
    const ids = people.flatMap((person) =>
      'id' in person ? [person.id] : [substituted(person.email) ?? 0],
    );
    const found = await this.narrows.people(caller.realm.id, ids.filter(isRowId), emails);
    const hidden = isLimited
      ? await this.#hiddenFrom(
          caller,
          found.map(({ id }) => id),
        )
      : new Set();
    const known = new Set(found.map(({ id }) => id));
    const byEmail = new Map(
      found.filter(({ id }) => !hidden.has(id)).map(({ id, email }) => [email, id]),
    );
    return (person) => {
      const id = 'id' in person ? person.id : substituted(person.email);
      if (id !== null) return known.has(id) ? id : null;
      return 'email' in person ? (byEmail.get(person.email.toLowerCase()) ?? null) : null;
    };
  }

  async #hiddenFrom({ userId }: Caller, ids: readonly number[]): Promise<ReadonlySet<number>> {
    const pairs = ids
      .filter((id) => id !== userId)
      .map((otherId) => ({ viewerId: userId, otherId }));
    if (pairs.length === 0) return new Set();
    const hidden = await this.visibleUsers.hiddenAmong(pairs);
    return new Set(hidden.map(({ otherId }) => otherId));
  }
}
