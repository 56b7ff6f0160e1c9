import type { ApnsReason } from './apns-answer.rules.js';

/** A request to APNs as it came over the wire. */
export interface ApnsRequest {
  readonly method: string;
  readonly path: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Names as they came, one for each time that the header was sent. */
  readonly headerNames: readonly string[];
  readonly payload: Buffer;
}

const devicePath = '/3/device';
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Apple's tokens have 32 bytes today and may grow; it says to allow for 100. */
const deviceToken = /^([0-9a-f]{2}){32,100}$/i;
const bundleId = /^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/;
const longestCollapseIdBytes = 64;
const largestPayloadBytes = 4096;
const largestVoipPayloadBytes = 5120;

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

/** The token of a path `/3/device/{token}`; empty when it names none. */
export function deviceTokenOf(path: string): string {
  return path.startsWith(`${devicePath}/`) ? path.slice(devicePath.length + 1) : '';
}

/** Whether an `apns-id` is one that Apple would give back. */
export function isApnsId(id: string | undefined): id is string {
  return id !== undefined && uuid.test(id);
}

/** What is wrong with the request before anybody asks who sent it. */
export function faultOfAddress({ method, path, headers }: ApnsRequest): ApnsReason | undefined {
  const id = headers['apns-id'];
  if (method !== 'POST') return 'MethodNotAllowed';
  if (path !== devicePath && !path.startsWith(`${devicePath}/`)) return 'BadPath';
  if (id !== undefined && !isApnsId(id)) return 'BadMessageId';
  return undefined;
}

/**
 * What is wrong with the notification itself. Apple documents each reason but not which comes
 * first when there are several; this is the order of the headers in its documentation.
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
  return deviceToken.test(token) ? undefined : 'BadDeviceToken';
}

/** A provider token speaks for all apps of a team, so the topic must be named. */
function faultOfTopic(topic: string | undefined): ApnsReason | undefined {
  if (topic === undefined || topic === '') return 'MissingTopic';
  return bundleId.test(topic) ? undefined : 'BadTopic';
}

/** Apple takes a request without a push type for an alert. */
function faultOfPushType(pushType: string | undefined): ApnsReason | undefined {
  return pushType === undefined || pushTypes.has(pushType) ? undefined : 'InvalidPushType';
}

/** Left out, the priority is 10; a background notification may not have it. */
function faultOfPriority(priority = '10', pushType = 'alert'): ApnsReason | undefined {
  const allowed = pushType === 'background' ? ['1', '5'] : ['1', '5', '10'];
  return allowed.includes(priority) ? undefined : 'BadPriority';
}

function faultOfExpiration(expiration = '0'): ApnsReason | undefined {
  return /^\d{1,10}$/.test(expiration) ? undefined : 'BadExpirationDate';
}

/** node:http2 reads header bytes as latin1, so one character is one byte. */
function faultOfCollapseId(collapseId = ''): ApnsReason | undefined {
  return collapseId.length <= longestCollapseIdBytes ? undefined : 'BadCollapseId';
}

function faultOfPayload(payload: Buffer, pushType = 'alert'): ApnsReason | undefined {
  const largest = pushType === 'voip' ? largestVoipPayloadBytes : largestPayloadBytes;
  if (payload.length > largest) return 'PayloadTooLarge';
  return isJsonObject(payload) ? undefined : 'PayloadEmpty';
}

/** Apple documents no reason for a payload that cannot be read; to the phone it is an empty one. */
function isJsonObject(payload: Buffer): boolean {
  try {
    const value: unknown = JSON.parse(payload.toString());
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
