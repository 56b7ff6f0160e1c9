import type { SampleRequest } from '../load/sandbox-inbox.js';
import type { ApnsAccess } from './apns-access.js';
import { BareApns } from './bare-apns.js';
import type { BareSender } from './bare-post.js';
import { BareWebPush, type WebPushAccess } from './bare-web-push.js';

/** How to reach the provider that a bare sender sends to. */
export type ProviderAccess = { readonly apns: ApnsAccess } | { readonly web: WebPushAccess };

/** Opens a sender of the same request to many tokens. */
export const openBareSender = (
  access: ProviderAccess,
  sample: SampleRequest,
): Promise<BareSender> =>
  'apns' in access ? BareApns.open(access.apns, sample) : BareWebPush.open(access.web, sample);
