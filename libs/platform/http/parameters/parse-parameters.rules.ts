import { ApiError, parameterErrors, quoted } from '#platform/contracts';
import { z } from 'zod';
import type { Parameter } from './parameter.js';
import { NESTED_MEMBER_LIMIT, NESTING_LIMIT } from '../server/limits.js';

/** The values of a request by name. Values of the body take precedence over values of the query. */
export type RawParameters = ReadonlyMap<string, string>;

/** Every endpoint supports these names without declaring them. */
const SUPPORTED_EVERYWHERE = new Set(['client']);

/** PostgreSQL cannot store a NUL in a text; JSON contains it in escaped form. */
const NUL = { text: /\0/, json: /(?<!\\)(?:\\\\)*\\u0000/ } as const;

/** A number with a fraction or an exponent is a float, even if its value is whole. */
const FLOAT = /^\s*-?\d+(?:\.|e)/i;

type Declared = Readonly<Record<string, Parameter<unknown>>>;

/**
 * Parses the declared parameters in the order of their declaration; throws the ApiError of the first missing or invalid
 * one. `headers` has the values of declared headers, `raw` all others.
 */
export function parseParameters(
  declared: Declared,
  raw: RawParameters,
  headers: RawParameters = new Map(),
): Record<string, unknown> {
  const parsed: Record<string, unknown> = {};
  for (const name of Object.keys(declared)) {
    const parameter = declared[name];
    if (parameter !== undefined)
      parsed[name] = parseOne(name, parameter, parameter.isHeader === true ? headers : raw);
  }
  return parsed;
}

/** Throws the ApiError for a request with a parameter that the endpoint refuses. */
export function refuseParameters(refused: readonly string[], raw: RawParameters): void {
  const name = refused.find((one) => raw.has(one));
  if (name !== undefined) throw new ApiError(parameterErrors.unsupportedParameter, { name });
}

/** The names in a request that the endpoint does not support, in ascending order. */
export const ignoredParameters = (declared: Declared, raw: RawParameters): string[] =>
  [...raw.keys()]
    .filter((name) => !isSupported(declared, name) && !SUPPORTED_EVERYWHERE.has(name))
    .toSorted();

/** A declared header is not supported as a field. */
const isSupported = (declared: Declared, name: string): boolean =>
  Object.hasOwn(declared, name) && declared[name]?.isHeader !== true;

function parseOne(name: string, parameter: Parameter<unknown>, raw: RawParameters): unknown {
  const given = raw.get(name);
  if (given === undefined) {
    if (parameter.absent !== null) return parameter.absent.value;
    throw new ApiError(parameterErrors.missingParameter, { name }, { var_name: name });
  }
  if (NUL[parameter.encoding].test(given)) throw invalid(`${name} has invalid format`);
  const isJson = parameter.encoding === 'json';
  const value = isJson ? parseJson(name, given, parameter) : given;
  const parsed = parameter.schema.safeParse(value);
  if (!parsed.success) {
    throw parameter.refusal?.(given) ?? refusalOf(name, parameter, untilFault(value, parsed.error));
  }
  if (isJson && FLOAT.test(given) && !acceptsFraction(parameter)) {
    throw invalid(`${name} is not an integer`);
  }
  return parsed.data;
}

/** Parses again to create the error text: valid parameters do not pay for it. */
function refusalOf(
  name: string,
  { schema, isBody = false }: Parameter<unknown>,
  value: unknown,
): ApiError {
  const { error } = schema.safeParse(value, {
    error: isBody ? bodyFaultText(name) : faultText(name),
  });
  return invalid(error === undefined ? `Invalid ${name}` : refusalText(name, error));
}

/** A list ends with its first faulty item. The response does not name the others, and their texts would take long. */
function untilFault(value: unknown, { issues: [first] }: z.ZodError): unknown {
  const index = first?.path[0];
  return Array.isArray(value) && typeof index === 'number' ? value.slice(0, index + 1) : value;
}

/** Whether the schema accepts fractions, or rejects 0.5 for another reason. */
function acceptsFraction({ schema }: Parameter<unknown>): boolean {
  const issue = schema.safeParse(0.5).error?.issues[0];
  return !(issue?.code === 'invalid_type' && issue.expected === 'int');
}

function parseJson(
  name: string,
  given: string,
  { isBody = false, memberLimit = NESTED_MEMBER_LIMIT }: Parameter<unknown>,
): unknown {
  const excess = excessOf(given, memberLimit);
  if (excess === 'nesting') throw invalid(`${name} is nested too deeply`);
  if (excess === 'members') throw invalid(`${name} is too large`);
  try {
    return JSON.parse(given);
  } catch {
    throw invalid(isBody ? 'Malformed JSON' : `${name} is not valid JSON`);
  }
}

const invalid = (message: string) =>
  new ApiError(parameterErrors.invalidParameter, { text: message });

/** The nouns of the error texts for a wrong type. */
const nouns: Readonly<Record<string, string>> = {
  int: 'an integer',
  number: 'a float',
  boolean: 'a boolean',
  string: 'a string',
  array: 'a list',
  tuple: 'a list',
  object: 'a dict',
  record: 'a dict',
  date: 'a date',
};

/** The nouns of the error texts for a wrong format. */
const formatNouns: Readonly<Record<string, string>> = {
  url: 'a URL',
  date: 'a date',
  datetime: 'a date',
};

/**
 * The error map for zod. It must run during parsing, which alone knows the schema that rejected the value. Zod does not
 * call it for checks with a message.
 */
export const faultText =
  (name: string): z.core.$ZodErrorMap =>
  (issue) => {
    const path = issue.path ?? [];
    const place = placeOf(name, path);
    switch (issue.code) {
      case 'invalid_type':
        return issue.input === undefined && path.length > 0
          ? `${String(path.at(-1))} field is missing: Field required`
          : `${place} is not ${expectsInteger(issue) ? 'an integer' : nounOf(issue.expected)}`;
      case 'too_small':
        return tooSmall(place, issue);
      case 'too_big':
        return issue.origin === 'string'
          ? `${place} is too long (limit: ${issue.maximum} characters)`
          : `${place} is too large`;
      case 'invalid_format': {
        const noun = formatNouns[issue.format];
        return noun === undefined ? `${place} has invalid format` : `${place} is not ${noun}`;
      }
      case 'unrecognized_keys': {
        const key = issue.keys[0] ?? '';
        return `Argument "${quoted(key)}" at ${placeOf(name, [...path, key])} is unexpected`;
      }
      default:
        return `Invalid ${place}`;
    }
  };

/** The same for a parameter that is the whole body: its errors name the full path of a missing member. */
const bodyFaultText =
  (name: string): z.core.$ZodErrorMap =>
  (issue) => {
    const path = issue.path ?? [];
    return issue.code === 'invalid_type' && issue.input === undefined && path.length > 0
      ? `${placeOf(name, path)} field is missing: Field required`
      : faultText(name)(issue);
  };

/** The error text for a rejected value: the text of the first issue, from `faultText` or from the check. */
export function refusalText(name: string, { issues: [issue] }: z.ZodError): string {
  if (issue === undefined) return `Invalid ${name}`;
  const prefix = `Invalid ${placeOf(name, issue.path)}`;
  return issue.code === 'custom' && issue.message !== prefix
    ? `${prefix}: Value error, ${issue.message}`
    : issue.message;
}

const placeOf = (name: string, path: readonly PropertyKey[]): string =>
  name +
  path.map((key) => `[${JSON.stringify(typeof key === 'string' ? quoted(key) : key)}]`).join('');

function tooSmall(place: string, issue: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall>): string {
  if (issue.origin !== 'string') return `${place} is too small`;
  return issue.minimum === 1
    ? `${place} cannot be blank`
    : `${place} is too short (limit: ${issue.minimum} characters)`;
}

/** For a text instead of an integer zod expects a `number`; only the schema knows that it is an integer. */
const expectsInteger = ({ inst }: z.core.$ZodRawIssue): boolean =>
  inst instanceof z.ZodNumber && inst.isInt;

const nounOf = (expected: string): string => nouns[expected] ?? `a ${expected}`;

const QUOTE = 34;
const COLON = 58;
const BACKSLASH = 92;
/** Of a bracket and of a brace, which differ in one bit. */
const OPENING = 123;
const CLOSING = 125;
const BRACE_BIT = 32;

/**
 * Why a JSON text would take long to parse: all objects together have more than `limit` members, or its lists and objects are nested
 * too deeply. Null for all others. It scans the text without parsing it, which would take thirty times as long.
 */
export function excessOf(json: string, limit: number): 'members' | 'nesting' | null {
  // A member has at least four characters.
  if (json.length <= 4 * limit) return null;
  let members = 0;
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) isInString = !isInString;
    else if (isInString) {
      if (code === BACKSLASH) at += 1;
    } else if (code === COLON) members += 1;
    else if ((code | BRACE_BIT) === OPENING) depth += 1;
    else if ((code | BRACE_BIT) === CLOSING) depth -= 1;
    if (depth > NESTING_LIMIT) return 'nesting';
  }
  return members > limit ? 'members' : null;
}
