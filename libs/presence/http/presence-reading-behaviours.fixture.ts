import { beforeEach, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { badRequest } from '#test/answers';
import type { Person } from '#test/organisation';
import { OFFLINE_SECONDS } from '#test/presence-gateway';
import { nowSeconds } from '#test/presence-realm';
import { presencePathOf, type PresenceReaders, legacyEntry } from '#test/presence-reading-people';

const DAY = 86_400;

/**
 * The common behaviour of both sources: the presence program and PostgreSQL. `current` returns the readers of a test,
 * `seen` records that a person was seen at a time.
 */
export function readsPresence(
  current: () => PresenceReaders,
  seen: (person: Person, at: number) => Promise<unknown>,
): void {
  let readers: PresenceReaders;
  let ann: Person;
  let ben: Person;

  beforeEach(() => {
    readers = current();
    ({ ann, ben } = readers);
  });

  it('returns a user by id and by address in any case', async () => {
    const at = nowSeconds();
    await seen(ann, at);
    const presence = {
      active_timestamp: at,
      idle_timestamp: at,
      website: { status: 'active', timestamp: at },
      aggregated: { status: 'active', timestamp: at },
    };
    for (const name of [ann.id, ann.email, ann.email.toUpperCase()]) {
      expect((await ben.api.get(presencePathOf(name))).body).toEqual({
        result: 'success',
        msg: '',
        server_timestamp: expect.any(Number),
        presence,
      });
    }
  });

  it.each([
    ['the longest address', `${'l'.repeat(64)}@${'d'.repeat(186)}.ex`],
    ['an odd address', `o'brien+a/b%25"c"&=?#é@example.org`],
  ])('returns a user by %s', async (_what, email) => {
    await seen(ann, nowSeconds());
    await readers.rename(ann, email);
    expect((await ben.api.get(presencePathOf(encodeURIComponent(email)))).status).toBe(200);
  });

  it('shows a user as offline after the threshold of the installation', async () => {
    const at = nowSeconds() - OFFLINE_SECONDS - 10;
    await seen(ann, at);
    await seen(ben, at + 30);
    expect((await ann.api.get(presencePathOf(ann.id))).body['presence']).toEqual({
      active_timestamp: at,
      idle_timestamp: at,
      website: { status: 'active', timestamp: at },
      aggregated: { status: 'offline', timestamp: at },
    });
    expect((await ann.api.get(presencePathOf(ben.id))).body['presence']).toMatchObject({
      aggregated: { status: 'active', timestamp: at + 30 },
    });
  });

  it('rejects a user without any report, and names the requested user', async () => {
    for (const name of [ann.id, ann.email]) {
      expect(await ben.api.get(presencePathOf(name))).toMatchObject(
        badRequest(`No presence data for ${name}`),
      );
    }
  });

  it('returns to people and bots all users who were seen in the last 14 days', async () => {
    const at = nowSeconds();
    const gone = await readers.organisation.addPerson();
    await seen(ann, at);
    await seen(ben, at - 13 * DAY);
    await seen(gone, at - 15 * DAY);
    const bot = await readers.organisation.addPerson({ isBot: true });
    for (const reader of [ann, bot]) {
      expect((await reader.api.get('/realm/presence')).body).toEqual({
        result: 'success',
        msg: '',
        server_timestamp: expect.any(Number),
        presences: {
          [ann.email]: legacyEntry('active', at),
          [ben.email]: legacyEntry('active', at - 13 * DAY),
        },
      });
    }
  });

  it('returns to a limited guest only users who share a channel or conversation', async () => {
    const guest = await readers.organisation.addPerson({ role: roles.guest });
    for (const person of [ann, ben, guest]) await seen(person, nowSeconds());
    await readers.limitGuests();
    await readers.shareChannel(guest, ann);
    const { body } = await guest.api.get('/realm/presence');
    expect(Object.keys(body['presences'] as object).toSorted()).toEqual(
      [ann.email, guest.email].toSorted(),
    );
    expect((await guest.api.get(presencePathOf(ann.id))).status).toBe(200);
    expect((await guest.api.get(presencePathOf(guest.id))).status).toBe(200);
    expect(await guest.api.get(presencePathOf(ben.id))).toMatchObject(
      badRequest('Insufficient permission'),
    );
    expect((await ann.api.get(presencePathOf(ben.id))).status).toBe(200);
  });

  it('does not limit guests if the organisation lets them see everyone', async () => {
    const guest = await readers.organisation.addPerson({ role: roles.guest });
    await seen(ann, nowSeconds());
    expect((await guest.api.get(presencePathOf(ann.id))).status).toBe(200);
  });
}
