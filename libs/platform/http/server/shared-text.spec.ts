import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { gzipBody, SharedAnswer, SharedText } from './shared-text.js';
import { JsonBytes } from './sliced-json.js';

const sharedText = (members: object) =>
  new SharedText(new JsonBytes([Buffer.from(JSON.stringify(members))]));

const text = fc.string({ unit: 'binary', maxLength: 2000 });

describe(gzipBody.name, () => {
  it('is the compressed body of a SharedAnswer, whatever its parts are', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(text, { maxLength: 3 }), text, async (lists, own) => {
        const shared = lists.map((given, index) => sharedText({ [`list${index}`]: given }));
        const rest = new JsonBytes([Buffer.from(JSON.stringify({ own }))]);
        const plain = new SharedAnswer(shared, rest).body([]);
        const { body, plainBytes } = await gzipBody(shared, rest);
        expect(gunzipSync(body)).toEqual(plain);
        expect(plainBytes).toBe(plain.length);
        expect(JSON.parse(plain.toString())).toEqual(
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

describe(SharedAnswer.name, () => {
  it('names the ignored parameters', () => {
    const shared = [sharedText({ a: 1 })];
    expect(
      JSON.parse(
        new SharedAnswer(shared, new JsonBytes([Buffer.from('{"b":2}')])).body(['x']).toString(),
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
