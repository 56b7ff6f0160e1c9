import { storedTopic } from '#chat/channels';
import { ApiError, isMessageId, parameterErrors, quoted } from '#platform/contracts';
import { narrowErrors } from './narrow.errors.js';
import {
  channelKinds,
  contents,
  type PersonReference,
  type SearchText,
  states,
  type Term,
} from './term.js';

/** The greatest length of a text in a term, in characters; and of all searches of a narrow together. */
export const LONGEST_OPERAND = 1000;
/** Of the addresses in a direct conversation. */
const LONGEST_ADDRESSES = 10_000;
const MAX_PEOPLE = 1000;

type Operator = Term['operator'];

/** Operators by each of their names. */
const operators: Readonly<Record<string, Operator>> = {
  channel: 'channel',
  stream: 'channel',
  channels: 'channels',
  streams: 'channels',
  topic: 'topic',
  dm: 'dm',
  'pm-with': 'dm',
  'dm-including': 'dm-including',
  'group-pm-with': 'dm-including',
  sender: 'sender',
  mentions: 'mentions',
  is: 'is',
  has: 'has',
  in: 'in',
  id: 'id',
  near: 'near',
  with: 'with',
  search: 'search',
};

/** Operators whose operand may also be a number. */
const WITH_IDS: ReadonlySet<string> = new Set([
  'channel',
  'dm-including',
  'id',
  'mentions',
  'near',
  'sender',
  'with',
]);

interface TermInput {
  readonly operator: string;
  readonly operand: unknown;
  readonly isNegated: boolean;
}

/**
 * The terms of a narrow, from parsed JSON. Throws ApiError for an element of another shape, for an operand of another
 * type, and for an unknown operator or operand.
 */
export function termsOf(given: readonly unknown[]): Term[] {
  const shaped = given.map(shapeOf);
  const terms = shaped.map(termOf);
  const searched = shaped.reduce(
    (sum, { operator, operand }) => (operator === 'search' ? sum + String(operand).length : sum),
    0,
  );
  if (searched > LONGEST_OPERAND) throw tooLong(LONGEST_OPERAND);
  refuseTwoPlaces(terms);
  return terms;
}

const invalid = (text: string) => new ApiError(parameterErrors.invalidParameter, { text });

const tooLong = (limit: number) => invalid(`operand is too long (limit: ${limit} characters)`);

/** The error of a term whose operator, operand or combination is wrong. */
export const badNarrow = (text: string) => {
  const desc = quoted(text);
  return new ApiError(narrowErrors.badNarrow, { desc }, { desc });
};

function shapeOf(element: unknown, index: number): TermInput {
  const refuse = (reason: string) => new ApiError(narrowErrors.invalidTerm, { index, reason });
  if (Array.isArray(element)) {
    const [operator, operand] = element as unknown[];
    if (element.length !== 2 || typeof operator !== 'string' || typeof operand !== 'string') {
      throw refuse('element is not a string pair');
    }
    return { operator, operand, isNegated: false };
  }
  if (typeof element !== 'object' || element === null) throw refuse('dict or list required');
  const { operator, operand, negated = false } = element as Readonly<Record<string, unknown>>;
  if (operand === undefined || operand === null) throw refuse('operand is missing');
  if (operator === undefined || operator === null) throw refuse('operator is missing');
  if (typeof operator !== 'string') throw invalid(`narrow[${index}]["operator"] is not a string`);
  if (typeof negated !== 'boolean') throw invalid(`narrow[${index}]["negated"] is not a boolean`);
  return { operator, operand, isNegated: negated };
}

function termOf({ operator: name, operand, isNegated }: TermInput): Term {
  const operator = Object.hasOwn(operators, name) ? operators[name] : undefined;
  if (operator === undefined) {
    textOf(operand);
    throw badNarrow(`unknown operator ${name}`);
  }
  return { ...bodyOf(operator, operand), isNegated };
}

// The spread of a union with another member loses the union: each case names its operator.
function bodyOf(operator: Operator, operand: unknown) {
  if (operator === 'dm') return { operator, ...conversationOf(operand) };
  const given = scalarOf(operator, operand);
  const text = String(given);
  switch (operator) {
    case 'channel':
      return { operator, channel: typeof given === 'number' ? given : text };
    case 'channels':
      return { operator, kind: oneOf(channelKinds, text, `unknown channels operand ${text}`) };
    case 'topic':
      return { operator, topic: storedTopic(text) };
    case 'dm-including':
    case 'sender':
    case 'mentions':
      return { operator, person: personOf(given), given: text };
    case 'is':
      return { operator, state: stateOf(text) };
    case 'has':
      return { operator, content: contentOf(text) };
    case 'in':
      return { operator, isHome: oneOf(HOMES, text, `unknown 'in' operand ${text}`) === 'home' };
    case 'id':
      return { operator, messageId: messageIdOf(text) ?? wrong('Invalid message ID') };
    case 'near':
      return { operator };
    case 'with':
      return { operator, messageId: messageIdOf(text) ?? wrong("Invalid 'with' operator") };
    case 'search':
      return { operator, text: searchOf(text) };
  }
}

const HOMES = ['home', 'all'] as const;

function wrong(desc: string): never {
  throw badNarrow(desc);
}

function scalarOf(operator: Operator, operand: unknown): number | string {
  if (!WITH_IDS.has(operator)) return textOf(operand);
  if (isInteger(operand)) return operand;
  if (typeof operand !== 'string') throw invalid('operand is not a string or integer');
  return textOf(operand);
}

function textOf(operand: unknown): string {
  if (typeof operand !== 'string') throw invalid('operand is not a string');
  return limited(operand, LONGEST_OPERAND);
}

function limited(text: string, limit: number): string {
  if (text.length > limit) throw tooLong(limit);
  return text;
}

const isInteger = (given: unknown): given is number => Number.isInteger(given);

function oneOf<Known extends string>(known: readonly Known[], given: string, desc: string): Known {
  return known.find((one) => one === given) ?? wrong(desc);
}

const stateOf = (given: string) =>
  oneOf(states, given === 'private' ? 'dm' : given, `unknown 'is' operand ${given}`);

const contentOf = (given: string) =>
  oneOf(
    contents,
    contents.find((one) => `${one}s` === given) ?? given,
    `unknown 'has' operand ${given}`,
  );

const personOf = (given: unknown): PersonReference =>
  isInteger(given) ? { id: given } : { email: String(given).trim() };

function conversationOf(operand: unknown) {
  if (typeof operand === 'string') {
    const emails = limited(operand, LONGEST_ADDRESSES).split(',');
    const people = emails.map(personOf).filter((person) => 'id' in person || person.email !== '');
    return { people, given: operand };
  }
  if (!Array.isArray(operand)) throw invalid('operand is not a string or an integer list');
  if (operand.length > MAX_PEOPLE) throw invalid('operand is too large');
  const index = operand.findIndex((id) => !isInteger(id));
  if (index >= 0) throw invalid(`operand[${index}] is not an integer`);
  const given = operand.length === 1 ? String(operand[0]) : `[${operand.join(', ')}]`;
  return { people: operand.map(personOf), given };
}

function messageIdOf(given: string): number | null {
  if (!/^\d{1,16}$/.test(given)) return null;
  // No message has an id that is too great for a number, and 0.
  return isMessageId(Number(given)) ? Number(given) : 0;
}

const QUOTED_OR_WORD = /"([^"]+)"|\S+/g;

/** The words and the quoted phrases of a search. */
export function searchOf(given: string): SearchText {
  if (given.trim() === '') throw invalid('operand cannot be blank.');
  const words: string[] = [];
  const phrases: string[] = [];
  for (const [found, phrase] of given.matchAll(QUOTED_OR_WORD)) {
    if (phrase !== undefined && phrase.trim() !== '') phrases.push(phrase);
    else words.push(found);
  }
  return { words: words.join(' '), phrases };
}

const isOfChannel = ({ operator }: Term): boolean =>
  operator === 'channel' || operator === 'channels' || operator === 'topic';

const isDirect = (term: Term): boolean =>
  term.operator === 'dm' ||
  term.operator === 'dm-including' ||
  (term.operator === 'is' && term.state === 'dm');

function refuseTwoPlaces(terms: readonly Term[]): void {
  const wanted = terms.filter(({ isNegated }) => !isNegated);
  if (wanted.some(isOfChannel) && wanted.some(isDirect)) {
    throw badNarrow('No message can be both a channel message and direct message');
  }
}
