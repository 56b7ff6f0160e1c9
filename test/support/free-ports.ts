import { randomInt } from 'node:crypto';
import { isPortFree } from '../../deploy/local/ports.js';

/** Below the range of ephemeral ports, and below the ports of our stores. */
const FIRST_PORT = 10_000;
const SLICE_SIZE = 100;
const SLICES = 100;

let offset = randomInt(SLICE_SIZE);

/**
 * Different loopback ports without a listener. Each process chooses from its own range, because another process could
 * take a port before it is used.
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
