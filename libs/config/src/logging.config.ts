import { z } from 'zod';
import { type LoggingConfig, loggingVariables } from './common.variables.js';

const { LOG_LEVEL, LOG_FORMAT } = loggingVariables;

/**
 * How to log, before anything else of the configuration is known: that the rest is unusable has to be logged too. A
 * value that is at fault counts as its default here, and is refused with all others by the program's own reader.
 */
export function readLoggingConfig(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): LoggingConfig {
  return {
    level: valueOf(LOG_LEVEL, environment['LOG_LEVEL']),
    format: valueOf(LOG_FORMAT, environment['LOG_FORMAT']),
  };
}

function valueOf<Value>(type: z.ZodType<Value>, given: string | undefined): Value {
  const parsed = type.safeParse(given || undefined);
  return parsed.success ? parsed.data : type.parse(undefined);
}
