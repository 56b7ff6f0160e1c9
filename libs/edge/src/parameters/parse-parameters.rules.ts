import { ApiError } from '#contracts';
import type { Parameter } from './parameter.js';
import { refusalText } from './refusal-text.rules.js';

/** What a request carries, by name: the query's values below the body's, which win. */
export type RawParameters = ReadonlyMap<string, string>;

/** Supported by every endpoint without being declared by any. */
const SUPPORTED_EVERYWHERE = new Set(['client']);

/** PostgreSQL's text and nobody's device know a NUL; in JSON it may come escaped. */
const NUL = /\0|\\u0000/;

/**
 * Parses the declared parameters in the order of their declaration; throws the ApiError of the first
 * that is missing or wrong.
 */
export function parseParameters(
  declared: Readonly<Record<string, Parameter<unknown>>>,
  raw: RawParameters,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(declared).map(([name, parameter]) => [name, parseOne(name, parameter, raw)]),
  );
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
    const absent = parameter.schema.safeParse(undefined);
    if (absent.success) return absent.data;
    throw new ApiError('missingParameter', { name }, { var_name: name });
  }
  if (NUL.test(given)) throw invalid(`${name} has invalid format`);
  const parsed = parameter.schema.safeParse(
    parameter.encoding === 'json' ? parseJson(name, given) : given,
  );
  if (parsed.success) return parsed.data;
  if (parameter.refusal !== undefined) throw parameter.refusal(given);
  const [issue] = parsed.error.issues;
  throw invalid(issue === undefined ? `Invalid ${name}` : refusalText(name, issue));
}

function parseJson(name: string, given: string): unknown {
  try {
    return JSON.parse(given);
  } catch {
    throw invalid(`${name} is not valid JSON`);
  }
}

const invalid = (message: string) => new ApiError('invalidParameter', { text: message });
