import { InvalidArgumentError } from 'commander';
import { type Platform, platforms } from '#contracts';

/** What people call a platform besides its own name. */
const otherNames: Readonly<Record<string, Platform>> = { apple: 'apns', google: 'fcm' };

/** Reads the name of a platform. */
export function parsePlatform(text: string): Platform {
  const name = text.toLowerCase();
  const platform = platforms.find((one) => one === name) ?? otherNames[name];
  if (platform !== undefined) return platform;
  throw new InvalidArgumentError(`Expected ${platforms.join(' or ')}.`);
}
