import { createHash } from 'node:crypto';
import { z } from 'zod';

/** The fingerprints of the settings that all programs must share, by the names of the variables. */
export type SharedSettings = Readonly<Record<string, string>>;

const FINGERPRINT_CHARACTERS = 16;

/**
 * The fingerprints of the variables that are declared as shared. The secrets among them are random and of 32 bytes, so that
 * no fingerprint reveals one.
 */
export function sharedSettingsOf(
  { shape }: { readonly shape: z.ZodRawShape },
  values: Readonly<Record<string, unknown>>,
): SharedSettings {
  const names = Object.keys(shape).filter((name) => isShared(shape[name]));
  return Object.fromEntries(
    names.map((name) => [name, fingerprintOf(name, comparable(name, values[name]))]),
  );
}

const isShared = (schema: z.core.$ZodType | undefined): boolean =>
  schema !== undefined && z.globalRegistry.get(schema)?.['isShared'] === true;

/** Programs may name different nodes of the cluster of the queues: only whether it is set is compared. */
const comparable = (name: string, value: unknown): unknown =>
  name === 'QUEUE_REDIS_URL' ? value !== undefined : value;

/** The name makes the fingerprints of equal values differ. */
function fingerprintOf(name: string, value: unknown): string {
  const text = Buffer.isBuffer(value) ? value.toString('base64') : JSON.stringify(value ?? null);
  const hash = createHash('sha256').update(`carillon shared setting ${name} ${text}`);
  return hash.digest('hex').slice(0, FINGERPRINT_CHARACTERS);
}
