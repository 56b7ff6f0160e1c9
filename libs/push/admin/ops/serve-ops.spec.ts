import { beforeEach, describe, expect, it } from '@jest/globals';
import { KnownRoutes } from './serve-ops.js';

describe(KnownRoutes.name, () => {
  let sut: KnownRoutes;

  beforeEach(() => {
    sut = new KnownRoutes();
    const urls = ['/ops', '/ops/api/platforms/:platform/pause', '/ops/files/*', '/ops/a.b'];
    for (const url of urls) sut.add({ url, method: ['HEAD', 'GET'] });
    sut.add({ url: '/ops/a.b', method: 'POST' });
    sut.add({ url: '/opsimath', method: 'PUT' });
  });

  it.each(['/ops', '/ops/api/platforms/apns/pause', '/ops/files/a/b'])(
    'finds the methods of %s',
    (path) => {
      expect(sut.methodsOf(path)).toEqual(['GET', 'HEAD']);
    },
  );

  it('finds all methods of a path', () => {
    expect(sut.methodsOf('/ops/a.b')).toEqual(['GET', 'HEAD', 'POST']);
  });

  it.each(['/ops/', '/ops/api', '/ops/api/platforms/apns/pause/x', '/ops/aXb', '/opsimath'])(
    'finds no methods of %s',
    (path) => {
      expect(sut.methodsOf(path)).toEqual([]);
    },
  );
});
