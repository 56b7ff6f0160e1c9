import { describe, expect, it } from '@jest/globals';
import { exemptionOf } from './no-proxy.rules.js';

describe(exemptionOf.name, () => {
  it.each([
    ['', 'example.org', false],
    ['*', 'example.org', true],
    ['example.org', 'example.org', true],
    ['example.org', 'EXAMPLE.org.', true],
    ['Example.ORG', 'example.org', true],
    // A name is not its subdomains: what should take the proxy must not go around it.
    ['example.org', 'a.example.org', false],
    ['example.org', 'notexample.org', false],
    ['.example.org', 'a.example.org', true],
    ['.example.org', 'a.b.example.org', true],
    ['.example.org', 'example.org', false],
    ['*.example.org', 'a.example.org', true],
    ['a.test, example.org', 'example.org', true],
    ['a.test example.org', 'example.org', true],
    ['example.org:443', 'example.org', true],
    ['example.org:8443', 'example.org', false],
    ['10.0.0.0/8', '10.1.2.3', true],
    ['10.0.0.0/8', '11.1.2.3', false],
    ['10.0.0.0/33', '10.1.2.3', false],
    ['10.0.0.0/8', '10.example.org', false],
    ['10.1.2.3', '10.1.2.3', true],
    ['10.1.2.3:443', '10.1.2.3', true],
    ['fd00::/8', 'fd12::1', true],
    ['fd00::/8', '[fd12::1]', true],
    ['fd00::1', 'fd00:0:0::1', true],
    ['[fd00::1]:443', 'fd00::1', true],
    ['[fd00::1]:80', 'fd00::1', false],
    ['fd00::/8', '10.1.2.3', false],
    ['/', '10.1.2.3', false],
    ['a/b/c', '10.1.2.3', false],
    ['', 'localhost', true],
    ['', 'app.localhost', true],
    ['', '127.9.9.9', true],
    ['', '::1', true],
    ['', '[::1]', true],
    ['', '0.0.0.0', false],
  ])('%j and %s: %s', (noProxy, host, expected) => {
    expect(exemptionOf(noProxy)(host, 443)).toBe(expected);
  });
});
