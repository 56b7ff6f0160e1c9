import type { FreeSpace } from '#platform/http';
import type { Metrics } from '#platform/telemetry';

/** Exports the free space for uploads as a metric. */
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
