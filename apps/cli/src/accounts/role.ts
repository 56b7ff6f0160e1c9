import { InvalidArgumentError } from 'commander';
import { roles } from '#contracts';

/** Reads the name of a role, as its number. */
export function parseRole(text: string): number {
  const role = Object.entries(roles).find(([name]) => name === text.toLowerCase());
  if (role !== undefined) return role[1];
  throw new InvalidArgumentError(`Expected one of ${Object.keys(roles).join(', ')}.`);
}

/** The name of a role; its number, where it is none that we know. */
export const roleName = (role: number): string =>
  Object.entries(roles).find(([, number]) => number === role)?.[0] ?? String(role);
