import { leastOfflineSeconds, type PresenceTiming, presenceTimingOf } from '#contracts';
import { ConfigError } from './read-variables.js';
import { wholeNumber } from './variable-types.js';

/** How presence ages: the same for gateways and presence processes. */
export const presenceTimingVariables = {
  PRESENCE_PING_SECONDS: wholeNumber(10, 600).default(60),
  PRESENCE_OFFLINE_SECONDS: wholeNumber(50, 7200).default(200),
};

interface PresenceTimingValues {
  PRESENCE_PING_SECONDS: number;
  PRESENCE_OFFLINE_SECONDS: number;
}

/** Throws ConfigError for a threshold at which people who are there would be shown as offline. */
export function presenceTimingFrom(values: PresenceTimingValues): PresenceTiming {
  const { PRESENCE_PING_SECONDS: ping, PRESENCE_OFFLINE_SECONDS: offline } = values;
  const least = leastOfflineSeconds(ping);
  if (offline < least) {
    throw new ConfigError([
      `PRESENCE_OFFLINE_SECONDS: expected at least ${least}, three times PRESENCE_PING_SECONDS and 20`,
    ]);
  }
  return presenceTimingOf(ping, offline);
}
