import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { isDiskFull } from '#core';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { endpoint } from '../endpoint.js';
import type { FileReceiver } from '../files/file-receiver.js';
import { toApiError } from './error.filter.js';
import { readRawParameters } from './raw-parameters.js';

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

/** A request with one file, of which taking it in comes to `fault`. */
function read(fault: Error) {
  const request = {
    query: {},
    params: {},
    headers: {},
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
  it('does not take a full disk for a fault of the request', async () => {
    // A device on which every write fails as on a full disk.
    const fault = await writeFile('/dev/full', 'x').catch((error: Error) => error);
    const thrown = await read(fault ?? new Error('The device took it'));
    expect(isDiskFull(thrown)).toBe(true);
    expect(toApiError(thrown)).toMatchObject({ errorName: 'insufficientStorage' });
  });

  it('takes whatever the parser complains of for one', async () => {
    const thrown = await read(new Error('Unexpected end of form'));
    expect(thrown).toMatchObject({ errorName: 'malformedRequest' });
  });
});
