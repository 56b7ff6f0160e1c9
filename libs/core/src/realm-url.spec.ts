import { describe, expect, it } from '@jest/globals';
import { realmHost, realmUrl } from './realm-url.js';

describe(realmUrl.name, () => {
  it.each([
    ['https://chat.example.org', '', 'https://chat.example.org'],
    ['https://chat.example.org/', 'design', 'https://design.chat.example.org'],
    ['http://localhost:9991', 'design', 'http://design.localhost:9991'],
  ])('puts the subdomain before the host: %s, "%s"', (externalUrl, subdomain, expected) => {
    expect(realmUrl(new URL(externalUrl), subdomain)).toBe(expected);
  });
});

describe(realmHost.name, () => {
  it.each([
    ['https://chat.example.org', '', 'chat.example.org'],
    ['https://chat.example.org:8443', 'design', 'design.chat.example.org'],
    ['http://127.0.0.1:9991', 'design', 'design.127.0.0.1'],
  ])('has the subdomain and no port: %s, "%s"', (externalUrl, subdomain, expected) => {
    expect(realmHost(new URL(externalUrl), subdomain)).toBe(expected);
  });
});
