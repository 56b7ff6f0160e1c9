import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import { requestErrors } from '#platform/contracts';
import { isDiskFull } from '#platform/core';
import { z } from 'zod';
import { endpoint } from '../endpoint.js';
import type { FileReceiver } from '../files/file-receiver.js';
import { identifier, text } from '../parameters/parameter.js';
import { toApiError } from './error.filter.js';
import { readRawParameters, requireNumericPathParameters } from './raw-parameters.js';

const upload = endpoint({
  method: 'POST',
  path: '/file',
  summary: 'A file',
  description: 'A file.',
  tag: 'Files',
  access: 'user',
  errors: [],
  parameters: {},
  returns: z.looseObject({}),
});

/** Reads a request with one file; receiving the file fails with `fault`. Resolves with the error. */
function read(fault: Error) {
  const request = {
    query: {},
    params: {},
    headers: {},
    raw: { headers: { 'transfer-encoding': 'chunked' } },
    isMultipart: () => true,
    async *parts() {
      yield { type: 'file' };
    },
  };
  const receiver = { partsOptions: {}, take: () => Promise.reject(fault) };
  // Only what is used of both.
  return readRawParameters(
    request as unknown as FastifyRequest,
    upload,
    receiver as unknown as FileReceiver,
  ).then(
    () => null,
    (error: unknown) => error,
  );
}

describe(readRawParameters.name, () => {
  it('does not blame the request for a full disk', async () => {
    // A device on which every write fails as on a full disk.
    const fault = await writeFile('/dev/full', 'x').catch((error: Error) => error);
    const thrown = await read(fault ?? new Error('The device took it'));
    expect(isDiskFull(thrown)).toBe(true);
    expect(toApiError(thrown)).toMatchObject({ error: requestErrors.insufficientStorage });
  });

  it('blames the request for any error of the parser', async () => {
    const thrown = await read(new Error('Unexpected end of form'));
    expect(thrown).toMatchObject({ error: requestErrors.malformedRequest });
  });
});

const declaration = endpoint({
  method: 'GET',
  path: '/things/{thing_id}/{name}',
  summary: 'A thing',
  description: 'Of a test.',
  tag: 'things',
  access: 'user',
  parameters: {
    thing_id: identifier('The thing.'),
    name: text(z.string(), { description: 'Its name.' }),
  },
  returns: z.object({}),
  errors: [],
});

describe(requireNumericPathParameters.name, () => {
  it.each(['0', '5', '99999999999999999999'])('accepts the number %s', (given) => {
    expect(() =>
      requireNumericPathParameters(declaration, { thing_id: given, name: 'x' }),
    ).not.toThrow();
  });

  it.each(['', 'me', '-5', '007', '5.0', '5 ', '0x5', '"5"'])(
    'refuses "%s" as a number',
    (given) => {
      expect(() =>
        requireNumericPathParameters(declaration, { thing_id: given, name: '5' }),
      ).toThrow('Not found');
    },
  );
});
