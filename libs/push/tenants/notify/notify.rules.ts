import { ApiError } from '#platform/contracts';
import type { PhonePlatform } from '#push/jobs';
import {
  type ApnsUrgency,
  bytesOf,
  MAX_PAYLOAD_BYTES,
  type PreparedContent,
} from '#push/providers';
import { tenantErrors } from '../tenants.errors.js';

/** The most messages of a removal: the newest. */
const MAX_REMOVED = 200;
/** Of lists and objects inside of each other. Payloads have six levels at most. */
export const MAX_DEPTH = 32;

type Members = Readonly<Record<string, unknown>>;

/** A content as it waits to be sent. */
export type TenantContent = Omit<PreparedContent, 'kind'>;

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Whether a value has more levels of lists and objects than any payload. JSON can be parsed with thousands of levels, but not
 * written again.
 */
export function isTooDeep(value: unknown, levels = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isTooDeep(inner, levels - 1));
}

const isRemoval = ({ event }: Members): boolean => event === 'remove';

/** The members of a removal, with the newest of its messages by ascending id. */
function newestRemoved(members: Members): Members {
  const ids = members['zulip_message_ids'];
  if (!isRemoval(members) || typeof ids !== 'string' || !/^\d+(?:,\d+)*$/.test(ids)) return members;
  const newest = ids
    .split(',')
    .map(Number)
    .toSorted((one, other) => one - other)
    .slice(-MAX_REMOVED);
  return { ...members, zulip_message_ids: newest.join(',') };
}

/** The content for Apple of a payload of a server. */
export function apnsContentOf(given: Members): TenantContent {
  const { custom, ...aps } = oldFormOf(given) ?? given;
  const own = isObject(custom) ? custom : {};
  const app = isObject(own['zulip']) ? newestRemoved(own['zulip']) : own['zulip'];
  const isSilent = isObject(app) && isRemoval(app);
  return {
    isSilent,
    apnsUrgency: urgencyOf(aps, isSilent),
    payload: { ...own, ...(app === undefined ? {} : { zulip: app }), aps },
  };
}

/** Apple refuses background pushes of a higher priority. */
function urgencyOf(aps: Members, isRemoved: boolean): ApnsUrgency {
  const isShown = ['alert', 'sound', 'badge'].some((name) => aps[name] !== undefined);
  if (!isShown) return { pushType: 'background', priority: 5 };
  return { pushType: 'alert', priority: isRemoved ? 5 : 10 };
}

/** The oldest servers send a text and a list of messages. Null for any other payload. */
function oldFormOf({ alert, message_ids: ids }: Members): Members | null {
  return Array.isArray(ids)
    ? {
        ...(alert === undefined ? {} : { alert }),
        badge: 0,
        custom: { zulip: { message_ids: ids } },
      }
    : null;
}

/** The content for Google of a payload of a server, and of its options. Throws ApiError for unknown options. */
export function fcmContentOf(given: Members, options: Members): TenantContent {
  const priority = priorityIn(options) ?? (given['event'] === 'message' ? 'high' : 'normal');
  return {
    isSilent: priority === 'normal',
    apnsUrgency: null,
    payload: fcmDataOf(newestRemoved(given)),
  };
}

function priorityIn({ priority, ...others }: Members): 'normal' | 'high' | undefined {
  if (priority !== undefined && priority !== 'normal' && priority !== 'high') {
    const text = typeof priority === 'string' ? priority : JSON.stringify(priority);
    throw new ApiError(tenantErrors.invalidFcmPriority, { priority: text });
  }
  if (Object.keys(others).length > 0) {
    throw new ApiError(tenantErrors.invalidFcmOptions, { options: JSON.stringify(others) });
  }
  return priority;
}

/** The data for Google: every value is a text. */
export const fcmDataOf = (given: Members): Members =>
  Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );

/** Whether a provider takes a content of this size. */
export const isSendable = ({ payload }: TenantContent): boolean =>
  bytesOf(payload) <= MAX_PAYLOAD_BYTES;

/** The contents of a test notification. `now` is in UNIX seconds. */
export function testContents(
  base: Members,
  now: number,
): Readonly<Record<PhonePlatform, TenantContent>> {
  const data = { ...base, event: 'test' };
  const url = base['realm_url'] ?? base['realm_uri'] ?? '';
  const body = `This is a test notification from ${textOf(base['realm_name'])} (${textOf(url)}).`;
  return {
    apns: {
      isSilent: false,
      apnsUrgency: { pushType: 'alert', priority: 10 },
      payload: {
        zulip: data,
        aps: { alert: { title: 'Test notification', body }, sound: 'default' },
      },
    },
    fcm: { isSilent: false, apnsUrgency: null, payload: fcmDataOf({ ...data, time: now }) },
  };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A token as its provider compares it. */
const comparedAs = (platform: PhonePlatform, token: string): string =>
  platform === 'apns' ? token.toLowerCase() : token;

/**
 * Those of a server's tokens that are not registered, in its spelling and in ascending order. Of several spellings of a
 * registered token of Apple all but one are listed.
 */
export function deletedTokens(
  platform: PhonePlatform,
  tokens: readonly string[],
  registered: readonly string[],
): string[] {
  const known = new Map(registered.map((token) => [comparedAs(platform, token), token]));
  const kept = new Map<string, string>();
  for (const token of tokens) {
    const name = comparedAs(platform, token);
    const spelling = known.get(name);
    if (spelling !== undefined && (!kept.has(name) || token === spelling)) kept.set(name, token);
  }
  const deleted = tokens.filter((token) => kept.get(comparedAs(platform, token)) !== token);
  return [...new Set(deleted)].toSorted();
}
