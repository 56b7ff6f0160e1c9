import { ApiError } from '#contracts';

/** The channel that a message is for, as its sender names it. */
export type NamedChannel = { readonly id: number } | { readonly name: string };

/** The people that a message is for, as its sender names them, each once. */
export type NamedPeople =
  { readonly ids: readonly number[] } | { readonly emails: readonly string[] };

/** Of a message's recipients, its sender not counted. */
export const MOST_RECIPIENTS = 1000;

/** The channel that JSON text stands for: an id or a name, alone or in a list; other text is a name. */
export function readChannel(to: string): NamedChannel {
  const given = parsed(to);
  const channel: unknown = Array.isArray(given) && given.length === 1 ? given[0] : given;
  if (typeof channel === 'string') return { name: channel.trim() };
  if (isWhole(channel)) return { id: channel };
  throw new ApiError('invalidDestination');
}

/**
 * The people that JSON text stands for: a list of ids or a list of email addresses, or one of either;
 * other text is email addresses with commas between.
 */
export function readPeople(to: string): NamedPeople {
  const given = parsed(to);
  const list: readonly unknown[] = Array.isArray(given) ? given : peopleOutsideList(given);
  const people = [...new Set(list)];
  if (people.length === 0) throw new ApiError('noRecipients');
  if (people.length > MOST_RECIPIENTS) {
    throw new ApiError('tooManyRecipients', { limit: MOST_RECIPIENTS });
  }
  if (people.every(isWhole)) return { ids: people };
  if (people.every(isText)) return { emails: people.map((email) => email.trim()) };
  const isMixed = people.every((person) => isWhole(person) || isText(person));
  throw new ApiError(isMixed ? 'mixedRecipients' : 'invalidRecipients');
}

/** A text may name several, as those who type addresses do. */
const peopleOutsideList = (given: unknown): readonly unknown[] =>
  typeof given === 'string' ? given.split(',').filter((email) => email.trim() !== '') : [given];

function parsed(to: string): unknown {
  try {
    return JSON.parse(to);
  } catch {
    return to;
  }
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** Numbers outside the safe range would not stay what was given. */
const isWhole = (value: unknown): value is number => Number.isSafeInteger(value);
