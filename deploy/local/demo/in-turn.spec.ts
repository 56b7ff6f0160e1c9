import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { childEnvironment } from '#platform/config';
import { OwnProcess } from '../own-process.js';
import { inTurn } from './in-turn.js';
import { DemoPrinter } from './demo-printer.js';

describe(inTurn.name, () => {
  let folder: string;
  let lines: string[];
  const running: OwnProcess[] = [];
  const lockFile = () => path.join(folder, 'demo.pid');
  const printer = () =>
    new DemoPrinter({
      print: (text) => void lines.push(text),
      paint: (_format, text) => text,
      step: (_title, work) => work(),
      isLive: false,
      hasColors: false,
    });

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'carillon-turn-'));
    lines = [];
  });

  afterEach(async () => {
    await Promise.all(running.splice(0).map((one) => one.stop()));
    rmSync(folder, { recursive: true });
  });

  /** A process with this word in its command line. */
  const runningNode = (word: string): OwnProcess => {
    const one = new OwnProcess({
      command: process.execPath,
      args: ['-e', 'setInterval(() => {}, 1000)', word],
      cwd: '/',
      env: childEnvironment({}),
      stdio: 'ignore',
      stopSignal: 'SIGTERM',
      graceMs: 1000,
    });
    running.push(one);
    return one;
  };

  it('waits for a running demonstration and reports it', async () => {
    const other = runningNode('bootstrap.mjs');
    writeFileSync(lockFile(), String(other.pid));
    let isOtherGone = false;
    const ending = other.ended.then(() => {
      isOtherGone = true;
    });
    let sawOther = true;
    const turn = inTurn(folder, printer(), async () => {
      sawOther = !isOtherGone;
    });
    expect(lines.join('\n')).toContain('Another demonstration runs here.');
    other.kill();
    await Promise.all([turn, ending]);
    expect(sawOther).toBe(false);
  });

  it('ignores a lock whose process id belongs to another program', async () => {
    writeFileSync(lockFile(), String(runningNode('something-else').pid));
    await expect(inTurn(folder, printer(), async () => undefined)).resolves.toBeUndefined();
    expect(lines).toEqual([]);
  });

  it('releases the lock when the work fails', async () => {
    const failing = inTurn(folder, printer(), () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    expect(existsSync(lockFile())).toBe(false);
  });
});
