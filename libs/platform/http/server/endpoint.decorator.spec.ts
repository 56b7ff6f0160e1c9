import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { endpoint } from '../endpoint.js';
import { Endpoint, endpointsOf } from './endpoint.decorator.js';

const declare = (method: 'GET' | 'POST', path: string) =>
  endpoint({
    method,
    path,
    summary: 'Does a thing',
    description: 'Does it.',
    tag: 'Things',
    access: 'user',
    parameters: {},
    returns: z.object({}),
    errors: [],
  });

const list = declare('GET', '/things');
const add = declare('POST', '/things');

class Things {
  @Endpoint(list)
  list(): void {}

  @Endpoint(add)
  add(): void {}

  neither(): void {}
}

class OtherThings {
  @Endpoint(list)
  list(): void {}
}

describe(endpointsOf.name, () => {
  it('returns the declarations of all routes in their order', () => {
    expect(endpointsOf([{ controllers: [Things] }])).toEqual([list, add]);
  });

  it('rejects two routes with the same method and path', () => {
    expect(() => endpointsOf([{ controllers: [Things] }, { controllers: [OtherThings] }])).toThrow(
      'GET /things is declared twice',
    );
  });
});
