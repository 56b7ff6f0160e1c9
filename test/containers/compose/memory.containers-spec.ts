import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '#test/eventually';
import { docker, hasEngine, runShell, showProgress } from '../engine.js';
import { containers, lastingContainers, peakMemoryOf, serviceOf } from './containers.js';
import { Installation } from './installation.js';
import { LargestLoad } from './largest-load.js';
import type { PollCrowd } from './poll-crowd.js';

jest.setTimeout(1_200_000);

const PEOPLE = 10_000;
/** The proxy opens at most 9,900 connections to a gateway: the others are for other requests. */
const HELD = 9800;
const CONCURRENT = 6;
const ARRIVAL_MS = 300_000;
/** Of a limit. The rest is for what this load does not need, and for bodies that arrive meanwhile. */
const MOST_OF_LIMIT = 0.8;
/** For a gateway whose clients hold polls. */
const LITTLE_MEMORY = '200m';
const MEBIBYTE = 2 ** 20;

(hasEngine() ? describe : describe.skip)('Under the largest load, memory suffices', () => {
  let installation: Installation;
  let load: LargestLoad;
  let crowd: PollCrowd;

  showProgress();
  beforeAll(async () => {
    installation = await Installation.open();
    load = await LargestLoad.create(installation, PEOPLE);
  });
  afterAll(async () => {
    crowd?.end();
    await installation?.remove();
  });

  /** The containers that have started again or have used more than their share, by service. Shows the peaks of all. */
  async function withoutRoom(title: string): Promise<string[]> {
    const found: string[] = [];
    for (const one of await lastingContainers()) {
      const { Memory: limit } = one.HostConfig;
      const peak = await peakMemoryOf(one);
      const [used, most] = [peak, limit].map((bytes) => Math.round(bytes / MEBIBYTE));
      const text = `${serviceOf(one)} ${used} of ${most} MiB, ${one.RestartCount} restarts`;
      process.stderr.write(`    ${title}: ${text}\n`);
      const hasEnded = one.RestartCount > 0 || one.State.OOMKilled;
      if (hasEnded || !(peak <= limit * MOST_OF_LIMIT)) found.push(text);
    }
    return found;
  }

  it('for held polls and a message to 10,000 people, which reaches each poll and phone', async () => {
    crowd = await load.hold(HELD);
    expect(await withoutRoom('held polls')).toEqual([]);
    await load.notify();
    await eventually(async () => {
      const { distinct } = await installation.sandbox.counts('apns');
      // The sender's phone does not get it, and bots have none.
      const failures = [...new Set(crowd.failures)];
      expect([failures, crowd.notified.size, distinct]).toEqual([[], HELD, PEOPLE - 2]);
    }, ARRIVAL_MS);
    process.stderr.write(`    repeated requests: ${JSON.stringify(crowd.repeated)}\n`);
    expect(await withoutRoom('after the message')).toEqual([]);
  });

  it('for the largest answers of an account, six at once, while the polls are held', async () => {
    const bytes = await load.requestLargest(CONCURRENT);
    process.stderr.write(`    ${JSON.stringify(bytes)}\n`);
    expect(await withoutRoom('after the answers')).toEqual([]);
  });

  it('but not in a gateway with too little, which says so at its start and at its end', async () => {
    const [gateway] = await containers('api-gateway');
    const id = gateway?.Id ?? '';
    // The kernel refuses a limit below what is used.
    await docker('stop', id);
    await docker('update', '--memory', LITTLE_MEMORY, '--memory-swap', LITTLE_MEMORY, id);
    // The clients connect again.
    await docker('start', id);
    await eventually(async () => {
      const [again] = await containers('api-gateway');
      expect(again?.RestartCount).toBeGreaterThan(0);
    }, ARRIVAL_MS);
    const log = await runShell(`docker logs --tail 200 ${id} 2>&1`);
    process.stderr.write(`    ${/.*Main child exited with signal.*/.exec(log)?.[0] ?? ''}\n`);
    expect(log).toContain('The container has 200 MiB of memory');
    expect(log).toContain('Main child exited with signal');
  });
});
