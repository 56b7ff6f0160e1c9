import type { LookupFunction } from 'node:net';
import type { OutboundProxy } from '#platform/outbound';
import type { WebPushEndpoint } from './web-push-endpoint.rules.js';

/** One request to a push service. */
export interface WebPushRequest {
  readonly endpoint: WebPushEndpoint;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Called right before the request goes on the wire: whether it must not be sent. */
  readonly isWithdrawn: () => boolean;
}

/** How connections are made. */
export interface ConnectionSettings {
  /** PEM; the system's authorities when left out. */
  readonly certificateAuthority?: string | undefined;
  /** The way to the services; left out for a direct one. It resolves the names. */
  readonly proxy?: OutboundProxy | undefined;
  /** Leads direct connections to checked addresses. */
  readonly lookup: LookupFunction;
}
