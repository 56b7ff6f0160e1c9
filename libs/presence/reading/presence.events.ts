import { Injectable, Optional } from '@nestjs/common';
import {
  DeclaresTransientEvents,
  type TransientChanges,
  type TransientEvents,
  type TransientReader,
  type TransientStateRequest,
} from '#events/declarations';
import type { Caller } from '#platform/contracts';
import type { OnlineReading } from '#presence/rpc';
import { type Clock, systemClock } from '#platform/core';
import { SharedText } from '#platform/http';
import { PresenceClient } from '#presence/client';
import { updateIdAt } from '#presence/rules';
import { LastSeenReader } from './last-seen-reader.js';
import { OnlineBatches } from './online-batches.js';
import { reportUnexpectedFailure } from './presence-failures.js';
import {
  onlineEvents,
  type RegistrationPresence,
  registrationPresence,
  stateFormat,
} from './presence-formats.rules.js';
import { PresenceViewers } from './presence-viewers.js';

/** A queue without a cursor, because Redis lost it, gets the users who came online in this time. */
const UNKNOWN_CURSOR_MS = 600_000;

/**
 * The presence of `POST /register`, and the events of users who come online. Their cursor is an update id of the presence
 * program, so that an event is never older than the state and the answers before it.
 */
@Injectable()
@DeclaresTransientEvents()
export class PresenceEvents implements TransientEvents {
  readonly type = 'presence';
  readonly #batches: OnlineBatches;
  #onChange: (realmId: number | null) => void = () => undefined;

  constructor(
    private readonly presence: PresenceClient,
    private readonly lastSeen: LastSeenReader,
    private readonly viewers: PresenceViewers,
    @Optional() private readonly clock: Clock = systemClock,
  ) {
    this.#batches = new OnlineBatches(presence, (realmId) => this.#onChange(realmId));
  }

  /** See TransientEvents. */
  async startCursor(caller: Caller): Promise<number | null> {
    if (caller.realm.isPresenceDisabled) return null;
    const nowId = updateIdAt(this.clock());
    return (await this.#batches.read(this.viewers.of(caller), nowId))?.position ?? null;
  }

  /** See TransientEvents. From PostgreSQL while the presence program is unavailable. */
  async readState(request: TransientStateRequest): Promise<RegistrationPresence | SharedText> {
    const { caller, options, presenceHistoryDays: historyDays } = request;
    const format = stateFormat(options);
    const empty = () => registrationPresence([], format, this.clock());
    if (caller.realm.isPresenceDisabled) return empty();
    const viewer = this.viewers.of(caller);
    return this.#readAnswer(request)
      .catch((error: unknown) => {
        reportUnexpectedFailure(error);
        return this.lastSeen.readState(viewer, { format, historyDays });
      })
      .catch((error: unknown) => {
        reportUnexpectedFailure(error);
        return empty();
      });
  }

  /** See TransientEvents. */
  read(readers: readonly TransientReader[]): Promise<(TransientChanges | null)[]> {
    return Promise.all(readers.map((reader) => this.#readOne(reader)));
  }

  /** See TransientEvents. */
  onChange(listener: (realmId: number | null) => void): void {
    this.#onChange = listener;
    this.presence.onOnline(listener);
  }

  async #readOne({ caller, options, cursor }: TransientReader): Promise<TransientChanges | null> {
    if (caller.realm.isPresenceDisabled) return null;
    const aboveId = cursor ?? updateIdAt(this.clock() - UNKNOWN_CURSOR_MS);
    const reading = await this.#batches.read(this.viewers.of(caller), aboveId);
    return reading === null ? null : this.#changesIn(reading, aboveId, options);
  }

  #changesIn(
    { users, position }: OnlineReading,
    aboveId: number,
    options: TransientReader['options'],
  ): TransientChanges | null {
    const newer = users.filter(({ onlineId }) => onlineId > aboveId);
    if (newer.length === 0) return null;
    return {
      events: onlineEvents(newer, options, this.clock()),
      cursor: Math.max(aboveId, position),
    };
  }

  /** Passes the text on: parsing that of 50,000 users would hold the event loop for 100 ms. */
  async #readAnswer({
    caller,
    options,
    presenceHistoryDays,
  }: TransientStateRequest): Promise<SharedText> {
    const text = await this.presence.readAnswer({
      ...this.viewers.of(caller),
      joinedAt: caller.joinedAt,
      status: 'idle',
      reportedAt: Math.floor(this.clock() / 1000),
      isRealmPresenceDisabled: false,
      pingOnly: false,
      lastUpdateId: null,
      historyLimitDays: presenceHistoryDays,
      format: stateFormat(options),
    });
    const bytes = Buffer.from(text);
    return new SharedText({ parts: [bytes], length: bytes.length });
  }
}
