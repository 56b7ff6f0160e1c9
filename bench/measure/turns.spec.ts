import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { passTurn, Turns } from './turns.js';

describe(Turns.name, () => {
  /** Runs with a number of rounds each; resolves with the order of the rounds. */
  async function orderOf(...rounds: number[]): Promise<string> {
    const turns = new Turns();
    const order: string[] = [];
    await Promise.all(
      rounds.map((count, run) =>
        turns.run(async () => {
          for (let round = 0; round < count; round += 1) {
            order.push(`begin ${run}`);
            await delay(1);
            order.push(`end ${run}`);
            await passTurn();
          }
        }),
      ),
    );
    return order.join(', ');
  }

  it('lets runs have their rounds in turn, one at a time', async () => {
    expect(await orderOf(2, 2)).toBe(
      'begin 0, end 0, begin 1, end 1, begin 0, end 0, begin 1, end 1',
    );
  });

  it('lets the longer run go on alone', async () => {
    expect(await orderOf(1, 2)).toBe('begin 0, end 0, begin 1, end 1, begin 1, end 1');
  });

  it('goes on after a failure', async () => {
    const turns = new Turns();
    await expect(turns.run(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    await expect(turns.run(() => Promise.resolve(1))).resolves.toBe(1);
  });

  it('passes to nobody outside a run', async () => {
    await expect(passTurn()).resolves.toBeUndefined();
  });
});
