import { isDeepStrictEqual } from 'node:util';

/** Prints what was seen. The script fails if it is no longer the same. */
export function seen(what, value, expected) {
  const isSame = isDeepStrictEqual(value, expected);
  console.log(`${what}: ${JSON.stringify(value)}`);
  if (isSame) return;
  console.log(`  CHANGED; it was ${JSON.stringify(expected)}`);
  process.exitCode = 1;
}
