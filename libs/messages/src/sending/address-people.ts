import { Injectable } from '@nestjs/common';
import { ApiError, type Caller, isRowId } from '#contracts';
import { AccessUser } from '#users';
import { DestinationRepository, type Recipient } from './destination.repository.js';
import { type NamedPeople, readPeople } from './destination.rules.js';
import type { MessagePlace } from './message-place.rules.js';

/** Finds the people that a direct message is for, as far as its sender may know of them. */
@Injectable()
export class AddressPeople {
  constructor(
    private readonly destinations: DestinationRepository,
    private readonly accessUser: AccessUser,
  ) {}

  /** Rejects with ApiError for the first who is not there, not the sender's to know of, or deactivated. */
  async execute(caller: Caller, to: string): Promise<MessagePlace> {
    const people = readPeople(to);
    const [found, visible] = await Promise.all([
      this.destinations.people(caller.realm.id, askable(people)),
      this.accessUser.visibleTo(caller),
    ]);
    const known = found.filter(({ id, isSystemBot }) => isSystemBot || (visible?.has(id) ?? true));
    const recipients = 'ids' in people ? byId(known, people.ids) : byEmail(known, people.emails);
    for (const { email, isActive } of recipients) {
      if (!isActive) throw new ApiError('recipientDeactivated', { email });
    }
    return { userIds: recipients.map(({ id }) => id) };
  }
}

/** Without what the database would refuse to look for. */
const askable = (people: NamedPeople): NamedPeople =>
  'ids' in people
    ? { ids: people.ids.filter(isRowId) }
    : { emails: people.emails.filter((email) => !email.includes('\0')) };

function byId(known: readonly Recipient[], ids: readonly number[]): Recipient[] {
  const recipients = new Map(known.map((recipient) => [recipient.id, recipient]));
  return ids.map((id) => recipients.get(id) ?? refuse('invalidRecipientId', { id }));
}

function byEmail(known: readonly Recipient[], emails: readonly string[]): Recipient[] {
  const recipients = new Map(known.map((recipient) => [recipient.email.toLowerCase(), recipient]));
  return emails.map(
    (email) => recipients.get(email.toLowerCase()) ?? refuse('invalidRecipientEmail', { email }),
  );
}

function refuse(...error: ConstructorParameters<typeof ApiError>): never {
  throw new ApiError(...error);
}
