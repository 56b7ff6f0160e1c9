import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type EndpointPolicy,
  isEndpointAllowed,
  knownServiceOf,
  MAX_ENDPOINT_BYTES,
  parseEndpoint,
  SERVICE_HOSTS,
} from './web-push-endpoint.rules.js';

const standard: EndpointPolicy = { hosts: SERVICE_HOSTS, ports: [], privateHosts: [] };

describe(parseEndpoint.name, () => {
  it.each([
    ['https://push.example.org/a?b=c', 'https://push.example.org', 443, '/a?b=c'],
    ['https://push.example.org:443/a', 'https://push.example.org', 443, '/a'],
    ['https://push.example.org:8443/a', 'https://push.example.org:8443', 8443, '/a'],
    ['HTTPS://PUSH.example.ORG/A', 'https://push.example.org', 443, '/A'],
    ['https://push.example.org', 'https://push.example.org', 443, '/'],
    ['https://xn--bcher-kva.example/a', 'https://xn--bcher-kva.example', 443, '/a'],
    ['https://push.example.org/a/../b', 'https://push.example.org', 443, '/b'],
  ])('reads %s', (text, origin, port, path) => {
    expect(parseEndpoint(text)).toMatchObject({ origin, port, path });
  });

  it.each([
    'http://push.example.org/a',
    'wss://push.example.org/a',
    'push.example.org/a',
    'https://user@push.example.org/a',
    'https://user:pass@push.example.org/a',
    'https://@push.example.org/a',
    'https://:@push.example.org/a',
    'https://push.example.org/a#b',
    'https://push.example.org/a#',
    'https://127.0.0.1/a',
    'https://127.1/a',
    'https://0x7f000001/a',
    'https://2130706433/a',
    'https://[::1]/a',
    'https://[::ffff:127.0.0.1]/a',
    'https://push.example.org./a',
    'https://.example.org/a',
    'https://push_.example.org/a',
    'https://push.example.org/a b',
    'https://push.example.org/a\n',
    ' https://push.example.org/a',
    'https://push.exämple.org/a',
    'https://push.example.org:0x1bb/a',
    'https://push.example.org:99999/a',
    'https:///a',
    'https://',
    '',
  ])('refuses %j', (text) => {
    expect(parseEndpoint(text)).toBeNull();
  });

  it('bounds the length', () => {
    const text = 'https://push.example.org/'.padEnd(MAX_ENDPOINT_BYTES, 'x');
    expect(parseEndpoint(text)).not.toBeNull();
    expect(parseEndpoint(`${text}x`)).toBeNull();
  });

  it('reads its own result alike, and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.webUrl({ withQueryParameters: true }), fc.string()), (text) => {
        const read = parseEndpoint(text.replace(/^http:/, 'https:'));
        if (read === null) return;
        expect(parseEndpoint(`${read.origin}${read.path}`)).toEqual(read);
      }),
    );
  });
});

describe(isEndpointAllowed.name, () => {
  const allowed = (text: string, policy: Partial<EndpointPolicy> = {}) => {
    const endpoint = parseEndpoint(text);
    return endpoint !== null && isEndpointAllowed(endpoint, { ...standard, ...policy });
  };

  it.each([
    'https://updates.push.services.mozilla.com/wpush/v2/x',
    'https://fcm.googleapis.com/fcm/send/x',
    'https://web.push.apple.com/x',
    'https://wns2-par02p.notify.windows.com/w/?token=x',
  ])('permits %s by default', (text) => {
    expect(allowed(text)).toBe(true);
  });

  it.each([
    'https://push.services.mozilla.com/x',
    'https://evilpush.apple.com/x',
    'https://web.push.apple.com.example.org/x',
    'https://a.fcm.googleapis.com/x',
    'https://fcm.googleapis.com:8443/x',
    'https://permanently-removed.invalid/x',
    'https://ntfy.example.org/x',
  ])('refuses %s by default', (text) => {
    expect(allowed(text)).toBe(false);
  });

  it('permits every domain with *, and no other port', () => {
    expect(allowed('https://ntfy.example.org/x', { hosts: ['*'] })).toBe(true);
    expect(allowed('https://ntfy.example.org:8443/x', { hosts: ['*'] })).toBe(false);
    expect(allowed('https://localhost/x', { hosts: ['*'] })).toBe(false);
    expect(allowed('https://intranet/x', { hosts: ['*'] })).toBe(false);
  });

  it('permits the named ports and private hosts', () => {
    expect(allowed('https://ntfy.example.org:8443/x', { hosts: ['*'], ports: [8443] })).toBe(true);
    const local = { hosts: ['localhost'], ports: [9996], privateHosts: ['localhost'] };
    expect(allowed('https://localhost:9996/x', local)).toBe(true);
  });
});

describe(knownServiceOf.name, () => {
  it.each([
    ['updates.push.services.mozilla.com', 'mozilla'],
    ['fcm.googleapis.com', 'google'],
    ['web.push.apple.com', 'apple'],
    ['wns2-par02p.notify.windows.com', 'microsoft'],
    ['ntfy.example.org', null],
    ['notify.windows.com', null],
  ])('%s: %s', (host, expected) => {
    expect(knownServiceOf(host)).toBe(expected);
  });
});
