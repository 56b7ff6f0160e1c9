import { describe, expect, it } from '@jest/globals';
import { realmUrl } from './realm-url.js';

describe(realmUrl.name, () => {
  it.each([
    ['https://chat.example.org', '', 'https://chat.example.org'],
    ['https://chat.example.org/', 'design', 'https://design.chat.example.org'],
    ['http://localhost:9991', 'design', 'http://design.localhost:9991'],
  ])('puts the subdomain before the host: %s, "%s"', (externalUrl, subdomain, expected) => {
    expect(realmUrl(new URL(externalUrl), subdomain)).toBe(expected);
  });
});
