import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { endpoint } from '../endpoint.js';
import { identifier, text } from '../parameters/parameter.js';
import { refuseForeignPath } from './path-parameters.rules.js';

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

describe(refuseForeignPath.name, () => {
  it.each(['0', '5', '99999999999999999999'])('lets the number %s through', (given) => {
    expect(() => refuseForeignPath(declaration, { thing_id: given, name: 'x' })).not.toThrow();
  });

  it.each(['', 'me', '-5', '007', '5.0', '5 ', '0x5', '"5"'])(
    'refuses "%s" as a number',
    (given) => {
      expect(() => refuseForeignPath(declaration, { thing_id: given, name: '5' })).toThrow(
        'Not found',
      );
    },
  );
});
