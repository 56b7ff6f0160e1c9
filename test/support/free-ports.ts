import { randomInt } from 'node:crypto';
import { isPortFree } from '../../deploy/local/ports.js';

/** Below the ports from which systems take those of outgoing connections, and below those of our stores. */
const FIRST_PORT = 10_000;
const SLICE_SIZE = 100;
const SLICES = 100;

let offset = randomInt(SLICE_SIZE);

/**
 * Ports of the loopback address that nobody listens on at the moment, all different. Somebody else could take
 * one before it is used, so each process chooses among ports of its own.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = nextPort();
    if (await isPortFree(port)) ports.push(port);
  }
  return ports;
}

function nextPort(): number {
  offset = (offset + 1) % SLICE_SIZE;
  return FIRST_PORT + (process.pid % SLICES) * SLICE_SIZE + offset;
}
