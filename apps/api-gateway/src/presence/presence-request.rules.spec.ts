import { describe, expect, it } from '@jest/globals';
import type { Caller } from '#contracts';
import { presenceRequestOf } from './presence-request.rules.js';

const caller: Caller = {
  userId: 7,
  deliveryEmail: 'alice@example.com',
  role: 400,
  isBot: false,
  isPresenceEnabled: true,
  joinedAt: 1_600_000_000,
  keyGeneration: 1,
  realm: { id: 3, subdomain: '', name: 'Demo', isPresenceDisabled: false },
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
  it('asks for the legacy format unless a cursor or slim_presence is given', () => {
    expect(presenceRequestOf(caller, parameters, null, NOW_MS).format).toBe('legacy');
    expect(
      presenceRequestOf(caller, { ...parameters, slim_presence: true }, null, NOW_MS).format,
    ).toBe('modern');
    expect(
      presenceRequestOf(caller, { ...parameters, last_update_id: -1 }, null, NOW_MS).format,
    ).toBe('modern');
  });

  it('reports at the whole second in which the request came', () => {
    expect(presenceRequestOf(caller, parameters, null, NOW_MS).reportedAt).toBe(1_700_000_000);
  });

  it('hides whoever shares no presence, and tells guests from others', () => {
    const hiddenGuest = { ...caller, isPresenceEnabled: false, role: 600 };
    expect(presenceRequestOf(hiddenGuest, parameters, null, NOW_MS)).toMatchObject({
      isVisible: false,
      isGuest: true,
    });
    expect(presenceRequestOf(caller, parameters, null, NOW_MS)).toMatchObject({
      isVisible: true,
      isGuest: false,
    });
  });

  it('passes on whether the user did something', () => {
    for (const hasNewInput of [true, false]) {
      const given = { ...parameters, new_user_input: hasNewInput };
      expect(presenceRequestOf(caller, given, null, NOW_MS).hasNewInput).toBe(hasNewInput);
    }
  });

  it('passes on that the organisation has switched presence off', () => {
    const inSilentRealm = { ...caller, realm: { ...caller.realm, isPresenceDisabled: true } };
    expect(presenceRequestOf(inSilentRealm, parameters, null, NOW_MS).isRealmPresenceDisabled).toBe(
      true,
    );
  });
});
