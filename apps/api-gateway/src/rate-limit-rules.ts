import type { ApiGatewayConfig } from '#platform/config';
import type { RateLimitRules } from '#platform/rate-limits';

/** Of all servers together: each makes this server send a request. */
const TRANSFERS_A_DAY = 30;
/** Of one address, so that it cannot use up the transfers of all. */
const TRANSFERS_OF_ADDRESS_A_DAY = 5;

/** Each sends a push to an address that the client names. */
const WEB_PUSH_AN_HOUR = 20;

/** The limits of a gateway with this configuration. */
export const rateLimitRulesOf = ({
  rateLimits,
  auth,
  pushService,
}: ApiGatewayConfig): RateLimitRules => ({
  user: rateLimits.perUser,
  address: rateLimits.perAddress,
  file: rateLimits.ofFiles,
  'sign-in': auth.signInRules,
  'test-notification': rateLimits.testNotifications,
  'web-push': [{ seconds: 3600, calls: WEB_PUSH_AN_HOUR }],
  receipts: rateLimits.receipts,
  'event-queue': rateLimits.eventQueues,
  server: pushService?.rateLimits.requests ?? [],
  'server-push': pushService?.rateLimits.pushes ?? [],
  'server-upload': pushService?.rateLimits.uploads ?? [],
  'refused-upload': pushService?.rateLimits.requests ?? [],
  'new-server': pushService?.rateLimits.newServers ?? [],
  'address-transfer': [{ seconds: 86_400, calls: TRANSFERS_OF_ADDRESS_A_DAY }],
  'server-transfer': [{ seconds: 86_400, calls: TRANSFERS_A_DAY }],
});
