import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { secretKey } from './variable-types.js';

/** The environment is invalid. The message names every variable at fault and the values that it takes. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly faults: readonly string[]) {
    super(`The configuration is not usable.\n  ${faults.join('\n  ')}`);
  }
}

/**
 * Reads and validates the variables of a schema, without the white space around their values. An empty string counts as not
 * set, as in compose files. A variable that is not set is read from the file that `<name>_FILE` names, if the schema has
 * both; an empty file counts as not set too.
 * Throws ConfigError that names each variable at fault. Values are never shown: they may be secrets.
 */
export function readVariables<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): z.infer<z.ZodObject<Shape>> {
  const given: Record<string, string | undefined> = Object.fromEntries(
    Object.keys(schema.shape).map((name) => [name, environment[name]?.trim() || undefined]),
  );
  const files = new Map<string, string>();
  const unreadable = new Map<string, readonly string[]>();
  for (const name of Object.keys(given)) {
    const file = given[`${name}_FILE`];
    if (file === undefined || given[name] !== undefined) continue;
    try {
      given[name] = textOfFile(name, file) || undefined;
      files.set(name, `${name}_FILE (${file})`);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      unreadable.set(name, error.faults);
    }
  }
  const parsed = schema.safeParse(given);
  if (parsed.success && unreadable.size === 0) return parsed.data;
  const wrong = (parsed.error?.issues ?? []).flatMap((issue) => {
    const name = String(issue.path[0]);
    const file = files.get(name);
    if (unreadable.has(name)) return [];
    if (given[name] !== undefined) return [`${file ?? name}: ${issue.message}`];
    return [`${name} is not set${file === undefined ? '' : `, and ${file} is empty`}`];
  });
  throw new ConfigError([...[...unreadable.values()].flat(), ...wrong]);
}

/** Whether one of the variables is set. */
export const isAnySet = (
  names: readonly string[],
  environment: Readonly<Record<string, string | undefined>> = process.env,
): boolean => names.some((name) => Boolean(environment[name]));

/**
 * The values of variables that belong together, by their names; null when neither they nor the `optional` ones are set.
 * Throws ConfigError when only some of them are set.
 */
export function allOrNone<Name extends string>(
  values: Readonly<Partial<Record<Name, string | undefined>>> & Readonly<Record<string, unknown>>,
  names: readonly Name[],
  optional: readonly string[] = [],
): Readonly<Record<Name, string>> | null {
  const given = [...names, ...optional].find((name) => values[name] !== undefined);
  if (given === undefined) return null;
  const missing = names.filter((name) => values[name] === undefined);
  if (missing.length > 0) {
    throw new ConfigError(missing.map((name) => `${name} is not set, but ${given} is`));
  }
  // None of them is missing.
  return values as Readonly<Record<Name, string>>;
}

/** The content of a file without the white space around it. Throws ConfigError with the name of the variable. */
function textOfFile(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // Node's errors of files have one.
    const fault = `${name} is not set, and ${name}_FILE (${file}) cannot be read (${code})`;
    throw new ConfigError([fault]);
  }
}

/** Reads a secret of 32 bytes from the file that `<name>_FILE` names; null if it is empty. Throws ConfigError. */
export function optionalSecretFile(name: string, file: string): Buffer | null {
  const text = textOfFile(name, file);
  if (text === '') return null;
  const parsed = secretKey.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new ConfigError([`${name}_FILE (${file}): ${parsed.error.issues[0]?.message}`]);
}

/** Reads a secret of 32 bytes from the file that `<name>_FILE` names. Throws ConfigError, also for an empty file. */
export function readSecretFile(name: string, file: string): Buffer {
  const secret = optionalSecretFile(name, file);
  if (secret !== null) return secret;
  throw new ConfigError([`${name} is not set, and ${name}_FILE (${file}) is empty`]);
}

/** The secret that encrypts stored API keys: API_KEY_SECRET, or the content of API_KEY_SECRET_FILE. Throws ConfigError. */
export const readApiKeySecret = (given: Buffer | undefined, file: string): Buffer =>
  given ?? readSecretFile('API_KEY_SECRET', file);
