import { describe, expect, it } from '@jest/globals';
import { disposableDomains } from './disposable-domains.js';

describe('disposableDomains', () => {
  it('contains well-known services for disposable addresses', async () => {
    expect(await disposableDomains()).toContain('mailinator.com');
  });

  it.each(['example.com', 'example.org', 'demo.carillon.test', 'gmail.com', 'test'])(
    'leaves %s alone',
    async (domain) => {
      expect(await disposableDomains()).not.toContain(domain);
    },
  );
});
