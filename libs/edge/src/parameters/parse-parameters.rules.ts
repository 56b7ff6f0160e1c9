import { ApiError } from '#contracts';
import { NESTED_MEMBER_LIMIT } from '../http/limits.js';
import { hasMoreMembers } from './json-members.rules.js';
import type { Parameter } from './parameter.js';
import { faultText, refusalText } from './refusal-text.rules.js';

/** What a request carries, by name: the query's values below the body's, which win. */
export type RawParameters = ReadonlyMap<string, string>;

/** Supported by every endpoint without being declared by any. */
const SUPPORTED_EVERYWHERE = new Set(['client']);

/** Neither PostgreSQL's text nor anybody's device knows a NUL; in JSON it comes escaped. */
const NUL = { text: /\0/, json: /(?<!\\)(?:\\\\)*\\u0000/ } as const;

/** JSON text of a number with a fraction or an exponent is a float's, even where its value is whole. */
const FLOAT = /^\s*-?\d+(?:\.|e)/i;

/**
 * Parses the declared parameters in the order of their declaration; throws the ApiError of the first
 * that is missing or wrong.
 */
export function parseParameters(
  declared: Readonly<Record<string, Parameter<unknown>>>,
  raw: RawParameters,
): Record<string, unknown> {
  const parsed: Record<string, unknown> = {};
  for (const name of Object.keys(declared)) {
    const parameter = declared[name];
    if (parameter !== undefined) parsed[name] = parseOne(name, parameter, raw);
  }
  return parsed;
}

/** The names that a request carried and the endpoint does not support, in ascending order. */
export const ignoredParameters = (
  declared: Readonly<Record<string, Parameter<unknown>>>,
  raw: RawParameters,
): string[] =>
  [...raw.keys()]
    .filter((name) => !Object.hasOwn(declared, name) && !SUPPORTED_EVERYWHERE.has(name))
    .toSorted();

function parseOne(name: string, parameter: Parameter<unknown>, raw: RawParameters): unknown {
  const given = raw.get(name);
  if (given === undefined) {
    if (parameter.absent !== null) return parameter.absent.value;
    throw new ApiError('missingParameter', { name }, { var_name: name });
  }
  if (NUL[parameter.encoding].test(given)) throw invalid(`${name} has invalid format`);
  const isJson = parameter.encoding === 'json';
  const value = isJson ? parseJson(name, given) : given;
  const parsed = parameter.schema.safeParse(value);
  if (!parsed.success) throw parameter.refusal?.(given) ?? refusalOf(name, parameter, value);
  if (isJson && FLOAT.test(given) && !takesFraction(parameter)) {
    throw invalid(`${name} is not an integer`);
  }
  return parsed.data;
}

/** Refused once more, now with the words for it, which every parameter that is right can do without. */
function refusalOf(name: string, { schema }: Parameter<unknown>, value: unknown): ApiError {
  const { error } = schema.safeParse(value, { error: faultText(name) });
  return invalid(error === undefined ? `Invalid ${name}` : refusalText(name, error));
}

/** Whether any number that is not whole would be taken, or refused for anything but that. */
function takesFraction({ schema }: Parameter<unknown>): boolean {
  const issue = schema.safeParse(0.5).error?.issues[0];
  return !(issue?.code === 'invalid_type' && issue.expected === 'int');
}

function parseJson(name: string, given: string): unknown {
  if (hasMoreMembers(given, NESTED_MEMBER_LIMIT)) throw invalid(`${name} is too large`);
  try {
    return JSON.parse(given);
  } catch {
    throw invalid(`${name} is not valid JSON`);
  }
}

const invalid = (message: string) => new ApiError('invalidParameter', { text: message });
