import { describe, expect, it } from '@jest/globals';
import { DisposableDomains } from './disposable-domains.js';

describe(DisposableDomains.name, () => {
  const sut = new DisposableDomains();

  it('contains well-known services for disposable addresses', async () => {
    expect(await sut.all()).toContain('mailinator.com');
  });

  it.each(['example.com', 'example.org', 'demo.carillon.test', 'gmail.com', 'test'])(
    'leaves %s alone',
    async (domain) => {
      expect(await sut.all()).not.toContain(domain);
    },
  );
});
