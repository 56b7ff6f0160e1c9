import { z } from 'zod';

/** The environment is unfit to run with; the message names every variable at fault and what it takes. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(faults: readonly string[]) {
    super(`The configuration is not usable.\n  ${faults.join('\n  ')}`);
  }
}

/**
 * Reads and checks the variables of a schema, once, at start.
 *
 * A variable that is set to the empty string counts as not set, as it does in compose files.
 * Throws ConfigError naming each variable at fault. Values are never shown: they may be secrets.
 */
export function readVariables<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): z.infer<z.ZodObject<Shape>> {
  const given = Object.fromEntries(
    Object.keys(schema.shape).map((name) => [name, environment[name] || undefined]),
  );
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => {
    const name = String(issue.path[0]);
    return given[name] === undefined ? `${name} is not set` : `${name}: ${issue.message}`;
  });
  throw new ConfigError(faults);
}
