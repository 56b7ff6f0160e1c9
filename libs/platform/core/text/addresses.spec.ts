import { describe, expect, it } from '@jest/globals';
import { networkOf, realmHost, realmUrl } from './addresses.js';

describe(networkOf.name, () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:1:2::ffff', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['::1', '::/64'],
    ['unknown', 'unknown'],
    ['', ''],
  ])('maps %j to %j', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

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
  ])('adds the subdomain and removes the port: %s, "%s"', (externalUrl, subdomain, expected) => {
    expect(realmHost(new URL(externalUrl), subdomain)).toBe(expected);
  });
});
