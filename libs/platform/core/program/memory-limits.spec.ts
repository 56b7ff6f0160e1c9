import { describe, expect, it } from '@jest/globals';
import { containerShortage, memoryShortage } from './memory-limits.js';

const MEBIBYTE = 2 ** 20;
const needs = { process: 700, heap: 300 };

describe(memoryShortage.name, () => {
  it.each([
    ['without a container', 0, 4000],
    ['in a container without a limit', 9_223_372_036_854_771_712 / MEBIBYTE, 4000],
    ['with enough', 700, 300],
  ])('finds nothing %s', (_, container, heap) => {
    const limits = { container: container * MEBIBYTE, heap: heap * MEBIBYTE };
    expect(memoryShortage(needs, limits)).toBeNull();
  });

  it('names the limit that is too small', () => {
    expect(memoryShortage(needs, { container: 190 * MEBIBYTE, heap: 100 * MEBIBYTE })).toContain(
      'The container has 190 MiB of memory; under load this program needs 700 MiB',
    );
    expect(memoryShortage(needs, { container: 0, heap: 299.5 * MEBIBYTE })).toContain(
      'The heap of Node may have 299 MiB; under load this program needs 300 MiB',
    );
  });
});

describe(containerShortage.name, () => {
  it('compares the container with what the program needs, and not the heap of this process', () => {
    const large = { process: 700, heap: 1_000_000 };
    expect(containerShortage(large, 1024 * MEBIBYTE)).toBeNull();
    expect(containerShortage(large, 190 * MEBIBYTE)).toContain('190 MiB of memory');
  });
});
