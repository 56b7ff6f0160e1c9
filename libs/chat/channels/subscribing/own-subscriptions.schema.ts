import type { z } from 'zod';
import { isGuest, roleErrors } from '#directory/roles';
import { ApiError, type Caller } from '#platform/contracts';
import { newProperties } from '../channel-property-table.rules.js';
import { channelErrors } from '../channels.errors.js';
import { permissionsIn } from './channel-permissions.schema.js';
import type { SubscribeInput } from './subscribing.service.js';
import { wantedChannelOf, type wantedChannels } from './subscriptions.schema.js';

/** A new channel without further properties. */
const plainPlan: SubscribeInput['plan'] = {
  isAnnounced: false,
  isPrivate: false,
  isWebPublic: false,
  isHistoryPublic: null,
  permissions: permissionsIn({}),
  tellsSubscribers: true,
  ...newProperties({}),
};

/**
 * Maps the channels to add to a request for the caller. Throws `noSubscriptionChange` for a request without a change, and
 * `notAllowedForGuests`.
 */
export function ownSubscriptionsOf(
  { role }: Caller,
  added: z.infer<typeof wantedChannels>,
  left: readonly string[],
): SubscribeInput {
  if (added.length + left.length === 0) throw new ApiError(channelErrors.noSubscriptionChange);
  if (added.length > 0 && isGuest(role)) throw new ApiError(roleErrors.notAllowedForGuests);
  return { channels: added.map(wantedChannelOf), accounts: null, isStrict: true, plan: plainPlan };
}
