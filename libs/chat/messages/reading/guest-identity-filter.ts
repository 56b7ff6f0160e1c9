import { Inject, Injectable } from '@nestjs/common';
import { EXTERNAL_URL } from '#directory/auth';
import { substituteIdentity, VisibleUsersRepository } from '#directory/guest-access';
import { isGuest } from '#directory/roles';
import type { Caller } from '#platform/contracts';
import { realmHost } from '#platform/core';
import type { Session } from '#platform/database';
import type { MessagePerson, StoredMessage } from './message.repository.js';

/** Replaces the names and addresses in a message that a guest cannot see. */
@Injectable()
export class GuestIdentityFilter {
  constructor(
    private readonly visibleUsers: VisibleUsersRepository,
    @Inject(EXTERNAL_URL) private readonly externalUrl: URL,
  ) {}

  /**
   * The message with a substitute identity for each user whom the caller, a guest, cannot see: the sender and the
   * members of the direct conversation. Users who are not guests see everyone, without a statement.
   */
  async apply<Message extends Pick<StoredMessage, 'sender' | 'people'>>(
    caller: Caller,
    message: Message,
  ): Promise<Message> {
    const [shown = message] = await this.applyToAll(caller, [message]);
    return shown;
  }

  /** The same for any number of messages, with one statement. */
  async applyToAll<Message extends Pick<StoredMessage, 'sender' | 'people'>>(
    caller: Caller,
    messages: readonly Message[],
    session?: Session,
  ): Promise<readonly Message[]> {
    if (!isGuest(caller.role)) return messages;
    const everyone = messages.flatMap(({ sender, people }) => [sender, ...(people ?? [])]);
    const hidden = await this.#hiddenAmong(caller, everyone, session);
    if (hidden.size === 0) return messages;
    const host = realmHost(this.externalUrl, caller.realm.subdomain);
    const shown = <Person extends MessagePerson>(person: Person): Person =>
      hidden.has(person.id) ? { ...person, ...substituteIdentity(person.id, host) } : person;
    return messages.map((message) => ({
      ...message,
      sender: shown(message.sender),
      people: message.people?.map(shown) ?? null,
    }));
  }

  async #hiddenAmong(
    { userId: viewerId }: Caller,
    people: readonly MessagePerson[],
    session?: Session,
  ): Promise<ReadonlySet<number>> {
    const others = people.filter(({ id, isSystemBot }) => id !== viewerId && !isSystemBot);
    if (others.length === 0) return new Set();
    const ids = new Set(others.map(({ id }) => id));
    const pairs = [...ids].map((otherId) => ({ viewerId, otherId }));
    const hidden = await this.visibleUsers.hiddenAmong(pairs, session);
    return new Set(hidden.map(({ otherId }) => otherId));
  }
}
