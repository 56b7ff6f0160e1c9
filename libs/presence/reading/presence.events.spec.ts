import { describe, expect, it } from '@jest/globals';
import type { TransientStateRequest } from '#events/declarations';
import { SharedText } from '#platform/http';
import { type PresenceClient, PresenceUnavailable } from '#presence/client';
import type { LastSeenReader } from './last-seen-reader.js';
import { PresenceEvents } from './presence.events.js';
import { PresenceViewers } from './presence-viewers.js';

const URL_OF_SERVER = new URL('https://chat.example.org');
// Nothing else of the request is read.
const request = {
  caller: { userId: 5, role: 400, realm: { id: 1 } },
  options: { slimPresence: true },
  presenceHistoryDays: 14,
} as TransientStateRequest;

/** The presence of an organisation. The fakes have the methods that are called. */
const presenceOf = (readAnswer: () => Promise<string>) =>
  new PresenceEvents(
    { readAnswer } as unknown as PresenceClient,
    { readState: () => Promise.resolve({ presences: {} }) } as unknown as LastSeenReader,
    new PresenceViewers(URL_OF_SERVER),
    Date.now,
  );

describe(PresenceEvents.name, () => {
  it('passes the answer of presence on to a registration as it is: parsing that of a large organisation takes long', async () => {
    const text = '{"presence_last_update_id":7,"server_timestamp":1.500,"presences":{"5":{}}}';
    const state = await presenceOf(() => Promise.resolve(text)).readState(request);
    expect(state).toBeInstanceOf(SharedText);
    expect(Buffer.concat((state as SharedText).parts).toString()).toBe(`${text.slice(1, -1)},`);
  });

  it('reads the presence of a registration from PostgreSQL instead if presence does not answer', async () => {
    const sut = presenceOf(() => Promise.reject(new PresenceUnavailable('No answer')));
    expect(await sut.readState(request)).toEqual({ presences: {} });
  });
});
