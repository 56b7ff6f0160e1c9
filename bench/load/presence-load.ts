import type { ProcessPlace } from '../processes/process-place.js';
import { RemoteCrowd } from '../processes/remote-crowd.js';
import type { CrowdPlan, PresenceCrowd } from './presence-crowd.js';

export type PresenceLoad = RemoteCrowd<PresenceCrowd>;

export const gatherPresenceLoad = (place: ProcessPlace, plan: CrowdPlan): Promise<PresenceLoad> =>
  RemoteCrowd.gather('load/presence-load.process.js', place, plan);
