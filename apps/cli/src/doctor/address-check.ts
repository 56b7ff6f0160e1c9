import { isLoopback } from '#platform/config';
import { z } from 'zod';
import { type Finding, ok, problem, warning } from './findings.js';

const ANSWER_DEADLINE_MS = 5000;

/** What a gateway, and no other server, answers at `/health/ready`. */
const readiness = z.object({ status: z.string() });

/** The way of clients to the gateways: through a proxy on the same network, or to the public address. */
interface ClientAddress {
  readonly variable: 'EXTERNAL_URL' | 'PROXY_URL';
  readonly url: string;
}

/**
 * The finding about a way of clients: whether a gateway answers there. This host may be unable to reach its own public
 * address.
 */
function addressFinding({ variable, url }: ClientAddress, failure: string | null): Finding {
  const part = `Address ${url}`;
  if (failure === null) return ok(part, 'A ready gateway answers.');
  return variable === 'PROXY_URL'
    ? problem(part, failure, 'Read the logs of the proxy and of the gateways.')
    : warning(
        part,
        failure,
        'Correct EXTERNAL_URL and the proxies, or ask from where clients are.',
      );
}

/** Asks a gateway the way that clients do: through the proxy, and at the public address. */
export async function checkAddresses(
  externalUrl: string | null,
  proxyUrl: string | undefined,
): Promise<Finding[]> {
  const addresses: ClientAddress[] = [];
  if (proxyUrl !== undefined) addresses.push({ variable: 'PROXY_URL', url: proxyUrl });
  // With a proxy in another container, a loopback address leads to this container only.
  if (externalUrl !== null && !(proxyUrl && isLoopback(new URL(externalUrl).hostname))) {
    addresses.push({ variable: 'EXTERNAL_URL', url: externalUrl });
  }
  return Promise.all(
    addresses.map(async (address) => addressFinding(address, await failureAt(address.url))),
  );
}

/** Why no ready gateway answers at an address; null if one does. */
async function failureAt(url: string): Promise<string | null> {
  try {
    const signal = AbortSignal.timeout(ANSWER_DEADLINE_MS);
    const response = await fetch(new URL('/health/ready', url), { signal });
    const isReady = response.ok && readiness.safeParse(await response.json()).success;
    return isReady ? null : `No ready gateway answers; the status is ${response.status}.`;
  } catch {
    return 'No gateway answers.';
  }
}
