import { describe, expect, it } from '@jest/globals';
import { defaultPresenceTiming } from '#contracts';
import { presenceTimingFrom, presenceTimingVariables } from './presence-timing.variables.js';
import { ConfigError, readVariables } from './read-variables.js';
import { z } from 'zod';

const timingOf = (environment: Record<string, string>) =>
  presenceTimingFrom(readVariables(z.object(presenceTimingVariables), environment));

describe(presenceTimingFrom.name, () => {
  it('is what clients assume when nothing is said', () => {
    expect(timingOf({})).toEqual(defaultPresenceTiming);
  });

  it('holds refreshes back where the threshold allows it', () => {
    const timing = timingOf({ PRESENCE_PING_SECONDS: '90', PRESENCE_OFFLINE_SECONDS: '560' });
    expect(timing.updateMinimumSeconds).toBe(355);
  });

  it('refuses a threshold that two lost pings would cross, naming the variable', () => {
    const refused = () => timingOf({ PRESENCE_OFFLINE_SECONDS: '199' });
    expect(refused).toThrow(ConfigError);
    expect(refused).toThrow('PRESENCE_OFFLINE_SECONDS: expected at least 200');
  });
});
