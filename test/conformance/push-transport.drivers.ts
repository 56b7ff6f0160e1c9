import {
  ApnsHttp2Transport,
  FcmHttp2Transport,
  FirebaseAdminTransport,
  NodeApnTransport,
  type PushTransport,
} from '#push';
import { androidToken, iphoneToken } from '../support/push-tokens.js';
import type { RunningSandbox } from './push-sandbox.fixture.js';
import type { Row } from './push-transport.cases.js';

/** How a driver is opened differently from "at the sandbox". */
export interface OpenOptions {
  readonly port?: number;
  readonly deadlineMs?: number;
}

interface Provider {
  readonly platform: 'apns' | 'fcm';
  readonly newToken: () => string;
  readonly dead: Readonly<Record<string, string | number>>;
  readonly deadAnswer: Readonly<Record<string, string | number | null>>;
  readonly throttled: { readonly status: number; readonly reason: string };
  readonly badCredentials: { readonly status: number; readonly reason: string };
  readonly unavailable: string;
  /** The provider's word for a token of ours that it does not take any more. */
  readonly tokenRefused: { readonly status: number; readonly body: string };
}

/** A driver of PushTransport, and the rows of the suite that it does not pass. */
export interface Driver extends Provider {
  readonly name: string;
  readonly open: (sandbox: RunningSandbox, options: OpenOptions) => PushTransport;
  /** `no`: it is known to fail. `slow`: the same, and it takes too long to watch it fail. */
  readonly exceptions: Partial<Record<Row, 'no' | 'slow' | 'does not apply'>>;
}

export const DEADLINE_MS = 400;

const apple: Provider = {
  platform: 'apns',
  newToken: iphoneToken,
  dead: { status: 410, reason: 'Unregistered', timestamp: 1_700_000_000_000 },
  deadAnswer: { status: 410, reason: 'Unregistered', deadSince: 1_700_000_000_000 },
  throttled: { status: 429, reason: 'TooManyRequests' },
  badCredentials: { status: 403, reason: 'InvalidProviderToken' },
  unavailable: 'ServiceUnavailable',
  tokenRefused: { status: 403, body: '{"reason":"ExpiredProviderToken"}' },
};

const google: Provider = {
  platform: 'fcm',
  newToken: androidToken,
  dead: { reason: 'UNREGISTERED' },
  deadAnswer: { status: 404, reason: 'UNREGISTERED', deadSince: null },
  throttled: { status: 429, reason: 'QUOTA_EXCEEDED' },
  badCredentials: { status: 401, reason: 'THIRD_PARTY_AUTH_ERROR' },
  unavailable: 'UNAVAILABLE',
  tokenRefused: { status: 401, body: '{"error":{"code":401,"status":"UNAUTHENTICATED"}}' },
};

const apnsSettings = ({ apns }: RunningSandbox, options: OpenOptions) => ({
  ...apns,
  deadlineMs: DEADLINE_MS,
  ...options,
});

const fcmSettings = ({ fcm }: RunningSandbox, options: OpenOptions) => ({
  ...fcm,
  deadlineMs: DEADLINE_MS,
  ...options,
});

const doesNotApply = 'does not apply';

export const drivers: readonly Driver[] = [
  {
    ...apple,
    name: 'ApnsHttp2Transport',
    open: (sandbox, options) => new ApnsHttp2Transport(apnsSettings(sandbox, options)),
    exceptions: {},
  },
  {
    ...apple,
    name: 'NodeApnTransport',
    open: (sandbox, options) => new NodeApnTransport(apnsSettings(sandbox, options)),
    exceptions: {
      'sends with the provider token that all workers share': 'no',
      'replaces a dead connection in under ten seconds, long before the deadline': 'slow',
      'takes a push for accepted as soon as the provider says so': 'no',
      'sends again what the provider says it has not processed, once': 'no',
      'sends again, once, a push whose stream was refused': 'no',
      'sends 20,000 pushes through few connections': 'slow',
    },
  },
  {
    ...google,
    name: 'FcmHttp2Transport',
    open: (sandbox, options) => new FcmHttp2Transport(fcmSettings(sandbox, options)),
    exceptions: {
      'sends with the provider token that all workers share': doesNotApply,
      'signs in with a certificate': doesNotApply,
      'does not send without a topic, nor with one that is none': doesNotApply,
    },
  },
  {
    ...google,
    name: 'FirebaseAdminTransport',
    open: (sandbox, options) => new FirebaseAdminTransport(fcmSettings(sandbox, options)),
    exceptions: {
      // It speaks HTTP/1.1: a connection for each push under way, and nothing to share out.
      'sends again what the provider says it has not processed, once': doesNotApply,
      'sends again, once, a push whose stream was refused': doesNotApply,
      'never has more under way than the provider allows': doesNotApply,
      'follows a provider that allows fewer than before': doesNotApply,
      'sends 20,000 pushes through few connections': 'slow',
      'replaces a dead connection in under ten seconds, long before the deadline': 'slow',
      'takes a push for accepted as soon as the provider says so': 'no',
      'sends with the provider token that all workers share': doesNotApply,
      'signs in with a certificate': doesNotApply,
      'does not send without a topic, nor with one that is none': doesNotApply,
    },
  },
];
