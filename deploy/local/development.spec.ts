import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { developmentOptions, nodeArgsFor } from './development.js';
import { programNames } from './programs.js';

describe('developmentOptions', () => {
  it('accepts no, one or both options', () => {
    expect(developmentOptions([])).toEqual({ watches: false, inspects: false });
    expect(developmentOptions(['--watch'])).toEqual({ watches: true, inspects: false });
    expect(developmentOptions(['--inspect', '--watch'])).toEqual({ watches: true, inspects: true });
  });

  it('rejects an unknown option by name', () => {
    expect(() => developmentOptions(['--wach'])).toThrow('and not "--wach"');
  });
});

describe('nodeArgsFor', () => {
  it('adds no arguments by default', () => {
    expect(nodeArgsFor('presence', { watches: false, inspects: false })).toEqual([]);
  });

  it('gives each program the debugger port of its launch configuration', () => {
    const launch = readFileSync(new URL('../../.vscode/launch.json', import.meta.url), 'utf8');
    // Our own file, which is JSON without comments.
    const { configurations } = JSON.parse(launch) as {
      configurations: { name: string; port?: number }[];
    };
    const ports = configurations.flatMap(({ name, port }) => (port ? [[name, port]] : []));
    const given = programNames.map((name) => {
      const [arg = ''] = nodeArgsFor(name, { watches: false, inspects: true });
      return [name, Number(arg.split(':').at(-1))];
    });
    expect(given).toEqual(ports);
  });
});
