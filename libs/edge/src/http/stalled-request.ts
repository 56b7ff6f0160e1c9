import type { IncomingMessage } from 'node:http';

/** No network is so slow that nothing of a file comes for so long. */
const STALLED_MS = 60_000;

/** Ends the connection of a request whose body stops coming; how long the whole takes does not count. */
export function cutOffWhenStalled(request: IncomingMessage): void {
  request.setTimeout(STALLED_MS, () => request.destroy());
  request.once('end', () => request.setTimeout(0));
}
