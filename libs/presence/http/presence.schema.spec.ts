import { describe, expect, it } from '@jest/globals';
import type { Caller } from '#platform/contracts';
import { presenceRequestOf } from './presence.schema.js';

const caller: Caller = {
  userId: 7,
  deliveryEmail: 'alice@example.com',
  role: 400,
  isBot: false,
  isPresenceEnabled: true,
  joinedAt: 1_600_000_000,
  keyGeneration: 1,
  realm: { id: 3, subdomain: '', isPresenceDisabled: false },
};

const reporter = {
  caller,
  viewer: { realmId: 3, userId: 7, isGuest: true, substituteHost: 'chat.example.org' },
};

const parameters = {
  status: 'active',
  ping_only: false,
  new_user_input: false,
  last_update_id: undefined,
  history_limit_days: undefined,
  slim_presence: false,
} as const;

const NOW_MS = 1_700_000_000_999;

describe(presenceRequestOf.name, () => {
  it('selects the legacy format unless a cursor or slim_presence is given', () => {
    expect(presenceRequestOf(reporter, parameters, null, NOW_MS).format).toBe('legacy');
    expect(
      presenceRequestOf(reporter, { ...parameters, slim_presence: true }, null, NOW_MS).format,
    ).toBe('modern');
    expect(
      presenceRequestOf(reporter, { ...parameters, last_update_id: -1 }, null, NOW_MS).format,
    ).toBe('modern');
  });

  it('reports and is sent at the whole second of arrival', () => {
    expect(presenceRequestOf(reporter, parameters, null, NOW_MS)).toMatchObject({
      reportedAt: 1_700_000_000,
      sentAt: 1_700_000_000,
    });
  });

  it('makes the report of an invisible user invisible', () => {
    const hidden = { ...reporter, caller: { ...caller, isPresenceEnabled: false } };
    expect(presenceRequestOf(hidden, parameters, null, NOW_MS).isVisible).toBe(false);
    expect(presenceRequestOf(reporter, parameters, null, NOW_MS).isVisible).toBe(true);
  });

  it('contains the viewer', () => {
    expect(presenceRequestOf(reporter, parameters, null, NOW_MS)).toMatchObject(reporter.viewer);
  });

  it('contains whether the organisation has disabled presence', () => {
    const disabled = { ...caller, realm: { ...caller.realm, isPresenceDisabled: true } };
    const inDisabledRealm = { ...reporter, caller: disabled };
    expect(
      presenceRequestOf(inDisabledRealm, parameters, null, NOW_MS).isRealmPresenceDisabled,
    ).toBe(true);
  });
});
