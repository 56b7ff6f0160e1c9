import type { Metrics } from '#telemetry';
import type { FreeSpace } from './free-space.js';

/** Tells how much room is left for uploads. */
export function observeFreeSpace(metrics: Metrics, freeSpace: FreeSpace): void {
  metrics.gauge(
    {
      name: 'carillon_uploads_free_bytes',
      help: 'Room that is left on the disk of the folder of the uploads.',
      labels: [],
    },
    async () => {
      const value = await freeSpace.bytes();
      return value === null ? [] : [{ labels: {}, value }];
    },
  );
}
