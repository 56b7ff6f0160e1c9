import { Injectable } from '@nestjs/common';
import { Database, type Session } from '#platform/database';
import { type EventAccount, type EventHead, EventRepository } from '#events/log';

/** A state, and the position of the last event that it contains. */
interface StateAt<State> {
  readonly state: State;
  readonly position: number;
}

/** A snapshot of an organisation for an account. */
export interface AccountSnapshot {
  readonly session: Session;
  /** The newest event in it. */
  readonly head: EventHead;
  /** The role of the account in it; null for a deactivated account. */
  readonly role: number | null;
}

const ROLE = 'SELECT role FROM users WHERE id = $1 AND is_active';

/** Reads a state and a position in one snapshot. The state contains exactly the events up to that position. */
@Injectable()
export class SnapshotRepository {
  constructor(
    private readonly database: Database,
    private readonly events: EventRepository,
  ) {}

  read<State>(
    { userId, realm }: EventAccount,
    readState: (snapshot: AccountSnapshot) => Promise<State>,
  ): Promise<StateAt<State>> {
    return this.database.snapshot(async (session) => {
      const head = await this.events.head(realm.id, session);
      const name = 'role_in_snapshot';
      const [account] = await session.query<{ role: number }>(name, ROLE, [userId]);
      const role = account?.role ?? null;
      return { state: await readState({ session, head, role }), position: head.position };
    });
  }
}
