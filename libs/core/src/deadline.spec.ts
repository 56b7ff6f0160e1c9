import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Deadline } from './deadline.js';

describe(Deadline.name, () => {
  let told: string[];
  const expire = () => told.push('expired');

  beforeEach(() => {
    told = [];
  });

  it('tells when the time is up', async () => {
    const expired = new Promise((resolve) => new Deadline(5, () => resolve('expired')));
    expect(await expired).toBe('expired');
  });

  it('tells nothing once it is stopped', async () => {
    const sut = new Deadline(5, expire);
    sut.stop();
    await delay(50);
    expect(told).toEqual([]);
  });

  it('gives way to what has come while this process was held up', async () => {
    await new Promise<void>((resolve) => {
      // Within a timer, so that its own would be the next.
      setTimeout(() => {
        const sut = new Deadline(5, () => {
          expire();
          resolve();
        });
        randomBytes(4, () => {
          told.push('answered');
          sut.stop();
          setTimeout(resolve, 20);
        });
        holdUp(50);
      }, 1);
    });
    expect(told).toEqual(['answered']);
  });
});

function holdUp(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}
