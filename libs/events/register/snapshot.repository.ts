import { Injectable } from '@nestjs/common';
import { Database, type Session } from '#platform/database';
import { EventRepository } from '#events/log';

/** A state, and the position of the last event that it contains. */
export interface StateAt<State> {
  readonly state: State;
  readonly position: number;
}

/** Reads a state and the position of its newest event in one snapshot: no event is missing in it, and none is too much. */
@Injectable()
export class SnapshotRepository {
  constructor(
    private readonly database: Database,
    private readonly events: EventRepository,
  ) {}

  read<State>(
    realmId: number,
    readState: (snapshot: Session, position: number) => Promise<State>,
  ): Promise<StateAt<State>> {
    return this.database.snapshot(async (snapshot) => {
      const position = await this.events.head(realmId, snapshot);
      return { state: await readState(snapshot, position), position };
    });
  }
}
