import { describe, expect, it } from '@jest/globals';
import { storePlace } from './store-place.js';

describe(storePlace.name, () => {
  it.each([
    [['postgresql://u:secret@db/carillon'], 'db:5432'],
    [['postgresql://u:secret@db-1:6000,[::1]:7000/carillon'], 'db-1:6000, [::1]:7000'],
    [['postgresql:///carillon?host=/run/postgresql'], '/run/postgresql:5432'],
    [['redis://u:secret@cache/2'], 'cache:6379'],
    [['rediss://:secret@[::1]:7000'], '[::1]:7000'],
    [['redis://:secret@node-1:7001', 'redis://:secret@node-2:7002'], 'node-1:7001, node-2:7002'],
    [['redis+sentinel://u:secret@watch-1,watch-2:5000/main'], 'watch-1:26379, watch-2:5000'],
  ])('shows the servers of %s, without credentials', (urls, servers) => {
    expect(storePlace(urls, 'STORE_URL')).toBe(`${servers} (STORE_URL)`);
  });
});
