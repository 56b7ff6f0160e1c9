import { Resolver } from 'node:dns/promises';
import { errorCode } from '#platform/core';
import { contactError } from './server-registration.rules.js';

const DEADLINE_MS = 2000;

/** Rejects with the ApiError for a domain that accepts no mail. A DNS server that does not answer counts as yes. */
export async function refuseWithoutMail(domain: string): Promise<void> {
  const resolver = new Resolver({ timeout: DEADLINE_MS, tries: 2 });
  let exchanges;
  try {
    exchanges = await resolver.resolveMx(domain);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOTFOUND') throw contactError(`${domain} does not exist`);
    if (code !== 'ENODATA') return;
    exchanges = [];
  }
  if (exchanges.length > 0) return;
  throw contactError(`${domain} is invalid because it does not have any MX records`);
}
