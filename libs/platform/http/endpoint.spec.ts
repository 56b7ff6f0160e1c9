import { describe, expect, it } from '@jest/globals';
import { isBelowApi, restNameOf, routePathOf } from './endpoint.js';

describe(routePathOf.name, () => {
  it.each([
    ['/things', '/api/v1/things'],
    ['/things/{thing_id}/parts/{part}', '/api/v1/things/:thing_id/parts/:part'],
    ['/files/{shelf}/{rest...}', '/api/v1/files/:shelf/*'],
  ])('converts %s to %s', (path, route) => {
    expect(routePathOf({ path })).toBe(route);
  });

  it('does not prefix endpoints outside of the API', () => {
    expect(routePathOf({ path: '/files/{name}', isOutsideApi: true })).toBe('/files/:name');
  });
});

describe(isBelowApi.name, () => {
  it.each(['/api/v1', '/api/v1/', '/api/v1?x=1', '/api/v1/users/me', '/api/v1/things/%zz'])(
    'is true for %s',
    (path) => {
      expect(isBelowApi(path)).toBe(true);
    },
  );

  it.each(['', '/', '/ops', '/api', '/api/v10/users', '/x/api/v1/users', '//api/v1/users'])(
    'is false for "%s"',
    (path) => {
      expect(isBelowApi(path)).toBe(false);
    },
  );
});

describe(restNameOf.name, () => {
  it('returns the name of the rest parameter', () => {
    expect(restNameOf('/files/{shelf}/{rest...}')).toBe('rest');
    expect(restNameOf('/files/{shelf}')).toBeUndefined();
  });
});
