import { parseJsonOrUndefined } from '#platform/core';
import type { ApnsReason } from './apns-answer.rules.js';

/** A request to APNs. */
export interface ApnsRequest {
  readonly method: string;
  readonly path: string;
  /** By lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The names as sent, also repeated ones. */
  readonly headerNames: readonly string[];
  readonly payload: Buffer;
}

const DEVICE_PATH = '/3/device';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Apple's tokens have 32 bytes; its documentation allows up to 100. */
const DEVICE_TOKEN = /^([0-9a-f]{2}){32,100}$/i;
const BUNDLE_ID = /^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/;
const LONGEST_COLLAPSE_ID_BYTES = 64;
const LARGEST_PAYLOAD_BYTES = 4096;
const LONGEST_KEPT_SECONDS = 30 * 86_400;
const LARGEST_VOIP_PAYLOAD_BYTES = 5120;

const pushTypes = new Set([
  'alert',
  'background',
  'complication',
  'controls',
  'fileprovider',
  'liveactivity',
  'location',
  'mdm',
  'pushtotalk',
  'voip',
  'widgets',
]);

/** The token of a path `/3/device/{token}`; empty for any other path. */
export function deviceTokenOf(path: string): string {
  return path.startsWith(`${DEVICE_PATH}/`) ? path.slice(DEVICE_PATH.length + 1) : '';
}

/** Whether an `apns-id` is a UUID, as Apple requires. */
export function isApnsId(id: string | undefined): id is string {
  return id !== undefined && UUID.test(id);
}

/** For how long Apple keeps a notification for a phone that is off, in seconds: 30 days without the header. */
export function timeToLiveOf(expiration: string | undefined, now: Date): number {
  return expiration === undefined
    ? LONGEST_KEPT_SECONDS
    : Math.max(0, Number(expiration) - now.getTime() / 1000);
}

/** The fault of a request that is found before its sender is authenticated. */
export function faultOfAddress({ method, path, headers }: ApnsRequest): ApnsReason | undefined {
  const id = headers['apns-id'];
  if (method !== 'POST') return 'MethodNotAllowed';
  if (path !== DEVICE_PATH && !path.startsWith(`${DEVICE_PATH}/`)) return 'BadPath';
  if (id !== undefined && !isApnsId(id)) return 'BadMessageId';
  return undefined;
}

/**
 * The fault of a notification. Apple does not document which of several faults it names first; this is the order of
 * the headers in its documentation.
 */
export function faultOfNotification(request: ApnsRequest): ApnsReason | undefined {
  return (
    faultOfRepetition(request.headerNames) ??
    faultOfToken(deviceTokenOf(request.path)) ??
    faultOfTopic(request.headers['apns-topic']) ??
    faultOfPushType(request.headers['apns-push-type']) ??
    faultOfPriority(request.headers['apns-priority'], request.headers['apns-push-type']) ??
    faultOfExpiration(request.headers['apns-expiration']) ??
    faultOfCollapseId(request.headers['apns-collapse-id']) ??
    faultOfPayload(request.payload, request.headers['apns-push-type'])
  );
}

function faultOfRepetition(names: readonly string[]): ApnsReason | undefined {
  const ours = names
    .map((name) => name.toLowerCase())
    .filter((name) => name === 'authorization' || name.startsWith('apns-'));
  return new Set(ours).size === ours.length ? undefined : 'DuplicateHeaders';
}

function faultOfToken(token: string): ApnsReason | undefined {
  if (token === '') return 'MissingDeviceToken';
  return DEVICE_TOKEN.test(token) ? undefined : 'BadDeviceToken';
}

/** Required, since a provider token is valid for all apps of a team. */
function faultOfTopic(topic: string | undefined): ApnsReason | undefined {
  if (topic === undefined || topic === '') return 'MissingTopic';
  return BUNDLE_ID.test(topic) ? undefined : 'BadTopic';
}

/** Without a push type a request is an alert. */
function faultOfPushType(pushType: string | undefined): ApnsReason | undefined {
  return pushType === undefined || pushTypes.has(pushType) ? undefined : 'InvalidPushType';
}

/** The default is 10; a background notification must not have 10. */
function faultOfPriority(priority = '10', pushType = 'alert'): ApnsReason | undefined {
  const allowed = pushType === 'background' ? ['1', '5'] : ['1', '5', '10'];
  return allowed.includes(priority) ? undefined : 'BadPriority';
}

function faultOfExpiration(expiration = '0'): ApnsReason | undefined {
  return /^\d{1,10}$/.test(expiration) ? undefined : 'BadExpirationDate';
}

/** node:http2 decodes headers as latin1, so one character is one byte. */
function faultOfCollapseId(collapseId = ''): ApnsReason | undefined {
  return collapseId.length <= LONGEST_COLLAPSE_ID_BYTES ? undefined : 'BadCollapseId';
}

function faultOfPayload(payload: Buffer, pushType = 'alert'): ApnsReason | undefined {
  const largest = pushType === 'voip' ? LARGEST_VOIP_PAYLOAD_BYTES : LARGEST_PAYLOAD_BYTES;
  if (payload.length > largest) return 'PayloadTooLarge';
  return isJsonObject(payload) ? undefined : 'PayloadEmpty';
}

/** Apple documents no reason for an invalid payload; here it counts as empty. */
function isJsonObject(payload: Buffer): boolean {
  const value = parseJsonOrUndefined(payload.toString());
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
