import { describe, expect, it } from '@jest/globals';
import { restNameOf, routePathOf } from './route-path.rules.js';

describe(routePathOf.name, () => {
  it.each([
    ['/things', '/api/v1/things'],
    ['/things/{thing_id}/parts/{part}', '/api/v1/things/:thing_id/parts/:part'],
    ['/files/{shelf}/{rest...}', '/api/v1/files/:shelf/*'],
  ])('has %s at %s', (path, route) => {
    expect(routePathOf({ path })).toBe(route);
  });

  it('has what is no part of the API at the root', () => {
    expect(routePathOf({ path: '/files/{name}', isOutsideApi: true })).toBe('/files/:name');
  });
});

describe(restNameOf.name, () => {
  it('tells the name of what comes after all else', () => {
    expect(restNameOf('/files/{shelf}/{rest...}')).toBe('rest');
    expect(restNameOf('/files/{shelf}')).toBeUndefined();
  });
});
