import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { isLargeJson, jsonInSlices } from './sliced-json.js';

const long = (length: number) => 'ä😀"\u0001'.repeat(length / 5);

describe(jsonInSlices.name, () => {
  it('is the JSON of any object, however its members are divided', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.constantFrom(long(30), long(70), long(200)),
    );
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        text,
        fc.constantFrom(null, undefined, 1, 1.5, true, Number.NaN),
        fc.date({ noInvalidDate: true }),
        fc.array(tie('any'), { maxLength: 6 }),
        fc.dictionary(text, tie('any'), { maxKeys: 6 }),
      ),
    })).any;
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), value, { maxKeys: 6 }), async (object) => {
        const { parts } = await jsonInSlices(object, 64);
        expect(parts.map(({ length }) => length)).not.toContain(0);
        expect(Buffer.concat(parts).toString()).toBe(
          Buffer.from(JSON.stringify(object)).toString(),
        );
      }),
      { numRuns: 100 },
    );
  });

  it('writes lists of many small items, and keys that are numbers or `__proto__`', async () => {
    const object = {
      list: Array.from({ length: 20_000 }, (_, id) => ({ id, name: `name ${id}` })),
      ...JSON.parse(`{"2":"b","1":"a","__proto__":"${'p'.repeat(70_000)}"}`),
    };
    const { parts } = await jsonInSlices(object);
    expect(Buffer.concat(parts).toString()).toBe(JSON.stringify(object));
  });

  it('lets other work run in between', async () => {
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await jsonInSlices({ list: Array.from({ length: 60 }, () => long(100_000)) });
    isOver = true;
    expect(turns).toBeGreaterThan(1);
  });
});

describe(isLargeJson.name, () => {
  it.each([
    [{ a: 'x'.repeat(60_000) }, false],
    [{ a: 'x'.repeat(70_000) }, true],
    [{ a: Array.from({ length: 100 }, () => 1) }, false],
    [{ a: Array.from({ length: 10_000 }, () => 1) }, true],
    [{ a: { b: [{ c: 'x'.repeat(70_000) }] } }, true],
    [{}, false],
    [null, false],
  ])('compares the length with a limit', (value, expected) => {
    expect(isLargeJson(value)).toBe(expected);
  });
});
