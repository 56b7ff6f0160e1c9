import { describe, expect, it } from '@jest/globals';
import { cycleIn } from './cycle-in.js';

const graph = (edges: Readonly<Record<string, string>>) =>
  new Map(Object.entries(edges).map(([node, others]) => [node, new Set(others)]));

describe(cycleIn.name, () => {
  it.each([[{}], [{ a: 'b', b: '' }], [{ a: 'bc', b: 'd', c: 'd', d: '' }], [{ a: 'b' }]])(
    'finds no cycle in %j',
    (edges) => {
      expect(cycleIn(graph(edges))).toBeNull();
    },
  );

  it.each([
    [{ a: 'a' }, 'aa'],
    [{ a: 'b', b: 'a' }, 'aba'],
    [{ a: 'b', b: 'cd', c: '', d: 'e', e: 'b' }, 'bdeb'],
    [{ a: '', b: 'c', c: 'b' }, 'bcb'],
  ])('finds the cycle in %j', (edges, cycle) => {
    expect(cycleIn(graph(edges))?.join('')).toBe(cycle);
  });
});
