import type { OutboundProxy } from '#platform/outbound';
import { apnsDriver, fcmDriver, type PushTransport } from '#push/providers';
import { androidToken, iphoneToken } from '#test/push-tokens';
import type { RunningSandbox } from './push-sandbox.fixture.js';

/** Options for opening a driver differently from the default for the sandbox. */
export interface OpenOptions {
  readonly port?: number;
  readonly deadlineMs?: number;
  readonly proxy?: OutboundProxy;
}

export type DriverName =
  'ApnsHttp2Transport' | 'NodeApnTransport' | 'FcmHttp2Transport' | 'FirebaseAdminTransport';

interface Provider {
  readonly platform: 'apns' | 'fcm';
  readonly newToken: () => string;
  readonly dead: Readonly<Record<string, string | number>>;
  readonly deadAnswer: Readonly<Record<string, string | number | null>>;
  readonly throttled: { readonly status: number; readonly reason: string };
  readonly badCredentials: { readonly status: number; readonly reason: string };
  readonly unavailable: string;
  /** The reason with which the provider refuses our authentication token. */
  readonly tokenRefused: { readonly status: number; readonly body: string };
}

/** A driver of PushTransport, with the protocol details of its provider. */
export interface Driver extends Provider {
  readonly name: DriverName;
  /** Whether it uses a provider library, and so is optional. */
  readonly isOfLibrary: boolean;
  readonly open: (sandbox: RunningSandbox, options: OpenOptions) => PushTransport;
}

/** For a busy machine. */
const DEADLINE_MS = 10_000;

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

const openers = {
  ApnsHttp2Transport: await apnsDriver('http2'),
  NodeApnTransport: await apnsDriver('node-apn'),
  FcmHttp2Transport: await fcmDriver('http2'),
  FirebaseAdminTransport: await fcmDriver('firebase-admin'),
};

export const drivers: readonly Driver[] = [
  {
    ...apple,
    name: 'ApnsHttp2Transport',
    isOfLibrary: false,
    open: (sandbox, options) => openers.ApnsHttp2Transport(apnsSettings(sandbox, options)),
  },
  {
    ...apple,
    name: 'NodeApnTransport',
    isOfLibrary: true,
    open: (sandbox, options) => openers.NodeApnTransport(apnsSettings(sandbox, options)),
  },
  {
    ...google,
    name: 'FcmHttp2Transport',
    isOfLibrary: false,
    open: (sandbox, options) => openers.FcmHttp2Transport(fcmSettings(sandbox, options)),
  },
  {
    ...google,
    name: 'FirebaseAdminTransport',
    isOfLibrary: true,
    open: (sandbox, options) => openers.FirebaseAdminTransport(fcmSettings(sandbox, options)),
  },
];
