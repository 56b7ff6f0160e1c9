import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { pushServiceVariables } from './push-service.variables.js';

describe('RATE_LIMIT_SERVER_UPLOADS', () => {
  it('lets a server import a thousand accounts in a minute: each makes an upload after a question', () => {
    const { RATE_LIMIT_SERVER_UPLOADS: rules } = z.object(pushServiceVariables).parse({});
    for (const { seconds, calls } of rules) {
      expect(calls).toBeGreaterThan((2 * 1000 * seconds) / 60);
    }
  });
});
