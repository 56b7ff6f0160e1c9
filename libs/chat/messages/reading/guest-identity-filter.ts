import { Inject, Injectable } from '@nestjs/common';
import { EXTERNAL_URL } from '#directory/auth';
import { substituteIdentity, VisibleUsersRepository } from '#directory/guest-access';
import { type Caller, roles } from '#platform/contracts';
import { realmHost } from '#platform/core';
import type { MessagePerson, StoredMessage } from './message.repository.js';

/** Replaces the names and addresses in a message that a guest may not see. */
@Injectable()
export class GuestIdentityFilter {
  constructor(
    private readonly visibleUsers: VisibleUsersRepository,
    @Inject(EXTERNAL_URL) private readonly externalUrl: URL,
  ) {}

  /**
   * The message with a substitute identity for each user whom the caller, a guest, may not see: the sender and the
   * members of the direct conversation. Users who are not guests see everyone, without a statement.
   */
  async apply<Message extends Pick<StoredMessage, 'sender' | 'people'>>(
    caller: Caller,
    message: Message,
  ): Promise<Message> {
    if (caller.role < roles.guest) return message;
    const { sender, people } = message;
    const hidden = await this.#hiddenAmong(caller, [sender, ...(people ?? [])]);
    if (hidden.size === 0) return message;
    const host = realmHost(this.externalUrl, caller.realm.subdomain);
    const shown = <Person extends MessagePerson>(person: Person): Person =>
      hidden.has(person.id) ? { ...person, ...substituteIdentity(person.id, host) } : person;
    return { ...message, sender: shown(sender), people: people?.map(shown) ?? null };
  }

  async #hiddenAmong(
    { userId: viewerId }: Caller,
    people: readonly MessagePerson[],
  ): Promise<ReadonlySet<number>> {
    const others = people.filter(({ id, isSystemBot }) => id !== viewerId && !isSystemBot);
    if (others.length === 0) return new Set();
    const pairs = others.map(({ id }) => ({ viewerId, otherId: id }));
    const hidden = await this.visibleUsers.hiddenAmong(pairs);
    return new Set(hidden.map(({ otherId }) => otherId));
  }
}
