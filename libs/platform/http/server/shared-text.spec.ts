import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { gzipBody, SharedAnswer, SharedText } from './shared-text.js';
import { JsonBytes, jsonInSlices } from './sliced-json.js';

const sharedText = (members: object) =>
  new SharedText(new JsonBytes([Buffer.from(JSON.stringify(members))]));

const joined = (body: Buffer | JsonBytes): Buffer =>
  body instanceof JsonBytes ? Buffer.concat(body.parts) : body;

const text = fc.string({ unit: 'binary', maxLength: 2000 });

describe(gzipBody.name, () => {
  it('is the compressed body of a SharedAnswer, whatever its parts are', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(text, { maxLength: 3 }), text, async (lists, own) => {
        const shared = lists.map((given, index) => sharedText({ [`list${index}`]: given }));
        const rest = new JsonBytes([Buffer.from(JSON.stringify({ own }))]);
        const plain = new SharedAnswer(shared, rest).body([]);
        const { body, plainBytes } = await gzipBody(shared, rest);
        expect(gunzipSync(joined(body))).toEqual(joined(plain));
        expect(plainBytes).toBe(plain.length);
        expect(JSON.parse(joined(plain).toString())).toEqual(
          JSON.parse(
            JSON.stringify({
              ...Object.fromEntries(lists.map((given, index) => [`list${index}`, given])),
              result: 'success',
              msg: '',
              own,
            }),
          ),
        );
      }),
    );
  });

  it('compresses a shared part once', () => {
    const shared = sharedText({ names: 'name '.repeat(1000) });
    expect(shared.deflated()).toBe(shared.deflated());
  });
});

describe(SharedText.name, () => {
  it.each([
    ['escapes', { pattern: '\\d'.repeat(30_000) }],
    ['a whole part', { pattern: 'x'.repeat(65_536 - '{"pattern":""'.length) }],
  ])('has the members of JSON that ends with %s', async (_, members) => {
    const sut = new SharedText(await jsonInSlices(members));
    expect(sut.members()).toEqual(members);
  });
});

describe(SharedAnswer.name, () => {
  it('has the shared bytes themselves, and says how many they are', async () => {
    const shared = sharedText({ names: 'name '.repeat(1000) });
    const own = new JsonBytes([Buffer.from('{"b":2}')]);
    const plain = new SharedAnswer([shared], own).body([]);
    expect(shared.parts.every((part) => plain.parts.includes(part))).toBe(true);
    expect(plain.shared).toEqual([shared]);
    expect(plain.shared[0]).toBe(shared);
    const deflated = await shared.deflated();
    const { body } = await gzipBody([shared], own);
    if (!(body instanceof JsonBytes)) throw new Error('It is joined');
    expect(deflated.parts.every((part) => body.parts.includes(part))).toBe(true);
    expect(body.shared[0]).toBe(deflated);
    expect(body.shared).toHaveLength(1);
  });

  it('names the ignored parameters', () => {
    const shared = [sharedText({ a: 1 })];
    expect(
      JSON.parse(
        joined(
          new SharedAnswer(shared, new JsonBytes([Buffer.from('{"b":2}')])).body(['x']),
        ).toString(),
      ),
    ).toEqual({
      a: 1,
      b: 2,
      result: 'success',
      msg: '',
      ignored_parameters_unsupported: ['x'],
    });
  });
});
