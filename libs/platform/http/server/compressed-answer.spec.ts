import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { compressedAnswer } from './compressed-answer.js';
import { CompressedResponse } from './response-body.rules.js';
import { JsonBytes } from './sliced-json.js';

const large = { names: 'näh'.repeat(1000) };
const LARGE_BODY = `{"result":"success","msg":"","names":"${large.names}"}\n`;

describe(compressedAnswer.name, () => {
  it.each([
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ] as const)('compresses a large answer with %s', async (encoding, decompress) => {
    const answer = await compressedAnswer(large, encoding);
    if (!(answer instanceof CompressedResponse)) throw new Error('It is not compressed');
    expect(answer.encoding).toBe(encoding);
    expect(answer.plainBytes).toBe(Buffer.byteLength(LARGE_BODY));
    const { body } = answer;
    const bytes = body instanceof JsonBytes ? Buffer.concat(body.parts) : body;
    expect(decompress(bytes).toString()).toBe(LARGE_BODY);
  });

  it('is text for a client without compression', async () => {
    const plain = new JsonBytes([Buffer.from(JSON.stringify(large))]);
    expect(await compressedAnswer(large, null)).toEqual(plain);
  });

  it('is text if it is small', async () => {
    expect(await compressedAnswer({ id: 1 }, 'br')).toEqual(
      new JsonBytes([Buffer.from('{"id":1}')]),
    );
  });
});
