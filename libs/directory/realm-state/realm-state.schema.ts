import { z } from 'zod';
import { endpoint } from '#platform/http';

export const listLinkifiers = endpoint({
  tag: 'server',
  access: 'user',
  method: 'GET',
  path: '/realm/linkifiers',
  summary: 'List the linkifiers',
  description: 'Returns an empty list: organisations have no patterns that turn text into links.',
  parameters: {},
  returns: z.object({ linkifiers: z.array(z.never()).max(0) }),
  errors: [],
});
