import { type CapabilityEvents, type QueueOptions, type StateRequest } from '#events/declarations';
import { EventRepository, eventScopes, type LoggedEvent } from '#events/log';
import { roles } from '#directory/roles';
import type { Caller } from '#platform/contracts';
import { optionsWith } from './queue-options.js';
import type { System } from './start-system.js';

/** The stored events of one organisation, and the state that a registration would return. */
export class RecordedEvents {
  readonly #events: EventRepository;

  constructor(
    private readonly system: System,
    private readonly realm: { readonly id: number },
    /** Types of events that other work stores at the same time. */
    private readonly ignored: readonly string[] = [],
  ) {
    this.#events = new EventRepository(system.database.database);
  }

  /** The events that are stored during some work, in order: type, body and audience. */
  async during(work: () => Promise<unknown>): Promise<object[]> {
    const head = await this.#events.head(this.realm.id);
    await work();
    const events = await this.#events.after(this.realm.id, head, 1000);
    return events.filter(({ type }) => !this.ignored.includes(type)).map(shown);
  }

  /** The state of a capability for an account, read as a registration reads it. */
  stateOf(
    events: CapabilityEvents,
    { id, role = roles.member }: { readonly id: number; readonly role?: number },
    options: Partial<QueueOptions> = {},
    fetchTypes: readonly string[] | null = null,
  ): Promise<Readonly<Record<string, unknown>>> {
    return this.system.database.database.snapshot((snapshot) =>
      events.readState({
        caller: this.#callerOf(id, role),
        snapshot,
        options: { ...optionsWith(), ...options },
        presenceHistoryDays: 14,
        wants: (fetchType) => fetchTypes?.includes(fetchType) ?? true,
        wantsAll: fetchTypes === null,
        share: ({ read }) => read(),
        readShared: ({ read }) => read(),
      } satisfies StateRequest),
    );
  }

  #callerOf(userId: number, role: number): Caller {
    return {
      userId,
      role,
      deliveryEmail: 'reader@chat.test',
      isBot: false,
      isPresenceEnabled: true,
      joinedAt: 0,
      keyGeneration: 1,
      realm: { id: this.realm.id, subdomain: '', isPresenceDisabled: false },
    };
  }
}

function shown({ type, body, scope, userIds, exceptIds, flags }: LoggedEvent): object {
  const everyone = Object.entries(eventScopes).find(([, value]) => value === scope)?.[0];
  return {
    type,
    body,
    audience: {
      ...(scope !== eventScopes.listed && { everyone }),
      ...((scope === eventScopes.listed || userIds.length > 0) && { userIds }),
      ...(exceptIds.length > 0 && { exceptIds }),
    },
    ...(flags !== null && { flags }),
  };
}
