import { RE2JS } from 're2js';
import { parse } from 'uri-template';
import type { LinkMatch } from '#platform/markdown';
import { ApiError } from '#platform/contracts';
import { linkifierErrors } from './linkifiers.errors.js';

/** A pattern whose matches in messages become links. */
export interface NewLinkifier {
  /** In the syntax of RE2, whose matching takes linear time. */
  readonly pattern: string;
  /** RFC 6570; its variables are the named groups of the pattern. */
  readonly urlTemplate: string;
  /** A text that the pattern matches; null for none. */
  readonly exampleInput: string | null;
  /** Makes the text of a match from the variables of an address, for clients; null for none. */
  readonly reverseTemplate: string | null;
  /** Further addresses that clients turn into the text of a match. They have the same variables. */
  readonly alternativeUrlTemplates: readonly string[];
}

/** What a linkifier needs to make links. */
export type ForwardLinkifier = Pick<NewLinkifier, 'pattern' | 'urlTemplate'>;

/** A linkifier that is ready for use. */
export interface LinkifierPattern {
  readonly expression: RE2JS;
  readonly names: readonly string[];
  readonly expand: (values: Readonly<Record<string, string>>) => string;
}

/** In instructions of RE2: the time of a match grows with it. */
export const LARGEST_PROGRAM = 600;

/**
 * The sum over all searches of the instructions times the characters: one of the largest pattern in the longest message. Two hundred
 * small patterns that match almost take 50 ms.
 */
export const MAX_WORK = 6_000_000;

/** What the searches for links may still take. */
interface Work {
  left: number;
}

/** Clients open the link, so it must be a web address and never a script. */
const WEB_ADDRESS = /^https?:\/\/[^\s/?#{]/i;
const INVALID_LITERAL = /[\s}\p{Cc}]/u;

/**
 * The pattern between what may be before and behind a match, as clients compile it: a match begins a word, and no letter or
 * digit follows. The first group is the match.
 */
const surrounded = (pattern: string): string => `(?:^|[\\s'"(,:<])(${pattern})(?:$|[^\\pL\\pN])`;

/** Prepares a linkifier for use. Throws ApiError for an invalid one. */
export function compileLinkifier({ pattern, urlTemplate }: ForwardLinkifier): LinkifierPattern {
  const expression = expressionOf(pattern);
  const names = Object.keys(expression.namedGroups());
  return { expression, names, expand: templateFor(names, urlTemplate) };
}

/** Throws ApiError for an invalid linkifier. */
export function checkLinkifier(linkifier: NewLinkifier): void {
  const { names } = compileLinkifier(linkifier);
  for (const template of linkifier.alternativeUrlTemplates) templateFor(names, template);
  checkReverse(linkifier, names);
}

/** The example shows that the reverse template makes the text of a match. */
function checkReverse(
  { pattern, exampleInput, reverseTemplate }: NewLinkifier,
  names: readonly string[],
): void {
  if (exampleInput === null) {
    if (reverseTemplate !== null) throw new ApiError(linkifierErrors.noExampleInput);
    return;
  }
  const matcher = compiled(pattern).matcher(exampleInput);
  if (!matcher.matches()) throw new ApiError(linkifierErrors.exampleDoesNotMatch);
  if (reverseTemplate === null) return;
  const values = Object.fromEntries(names.map((name) => [name, matcher.group(name) ?? '']));
  const text = reverseTemplate.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? '') : whole,
  );
  if (text !== exampleInput) throw new ApiError(linkifierErrors.reverseDoesNotMatch);
}

/** Throws ApiError unless the template has exactly the named groups of the pattern as variables. */
function templateFor(names: readonly string[], urlTemplate: string): LinkifierPattern['expand'] {
  const template = templateOf(urlTemplate);
  for (const name of template.names) {
    if (!names.includes(name)) throw new ApiError(linkifierErrors.groupNotInPattern, { name });
  }
  for (const name of names) {
    if (!template.names.has(name)) throw new ApiError(linkifierErrors.groupNotInTemplate, { name });
  }
  return template.expand;
}

function expressionOf(pattern: string): RE2JS {
  // Alone first: the surrounding text must not complete it.
  if (compiled(pattern).matches('')) throw badPattern('it matches the empty text');
  const expression = compiled(surrounded(pattern));
  if (expression.programSize() > LARGEST_PROGRAM) throw badPattern('it is too large');
  return expression;
}

function compiled(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    throw badPattern(error instanceof Error ? error.message : 'it is invalid');
  }
}

const badPattern = (reason: string): ApiError =>
  new ApiError(linkifierErrors.badPattern, { reason });

const invalidTemplate = (): ApiError => new ApiError(linkifierErrors.invalidTemplate);

function templateOf(urlTemplate: string): {
  readonly names: ReadonlySet<string>;
  readonly expand: LinkifierPattern['expand'];
} {
  if (!WEB_ADDRESS.test(urlTemplate)) throw invalidTemplate();
  const template = parsed(urlTemplate);
  if (template === null) throw invalidTemplate();
  const names = new Set<string>();
  for (const part of template.ast.parts) {
    if (part.type === 'literal' && INVALID_LITERAL.test(part.value)) throw invalidTemplate();
    if (part.type === 'expression') for (const { name } of part.variables) names.add(name);
  }
  return { names, expand: (values) => template.expand(values) };
}

function parsed(urlTemplate: string): ReturnType<typeof parse> | null {
  try {
    return parse(urlTemplate);
  } catch {
    return null;
  }
}

/**
 * The links in a text, in order and without overlaps: of several linkifiers the first one decides. The text is searched
 * only for as many linkifiers as the work allows, which it reduces.
 */
export function linksIn(
  text: string,
  linkifiers: readonly LinkifierPattern[],
  work: Work = { left: MAX_WORK },
): LinkMatch[] {
  const found: LinkMatch[] = [];
  for (const linkifier of linkifiers) {
    if (workOf(linkifier, text.length) > work.left) break;
    found.push(...matchesOf(text, linkifier, work).filter((link) => !overlaps(link, found)));
    found.sort((one, other) => one.start - other.start);
  }
  return found;
}

const workOf = ({ expression }: LinkifierPattern, length: number): number =>
  expression.programSize() * length;

/** More are not links: a message has a limited number. */
const MAX_MATCHES = 100;

function matchesOf(text: string, linkifier: LinkifierPattern, work: Work): LinkMatch[] {
  const { expression, names, expand } = linkifier;
  const matcher = expression.matcher(text);
  const found: LinkMatch[] = [];
  let position = 0;
  while (found.length < MAX_MATCHES && position < text.length) {
    // Even a short match may read the whole rest.
    const needed = workOf(linkifier, text.length - position);
    if (needed > work.left) break;
    work.left -= needed;
    if (!matcher.find(position)) break;
    const [start, end] = [matcher.start(1), matcher.end(1)];
    if (end > start) {
      const values = names.map((name) => [name, matcher.group(name) ?? '']);
      found.push({ start, end, address: expand(Object.fromEntries(values)) });
    }
    position = Math.max(end, position + 1);
  }
  return found;
}

const overlaps = (link: LinkMatch, others: readonly LinkMatch[]): boolean =>
  others.some((other) => link.start < other.end && other.start < link.end);
