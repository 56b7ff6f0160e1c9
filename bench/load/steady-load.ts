import type { ProcessPlace } from '../processes/process-place.js';
import { RemoteCrowd } from '../processes/remote-crowd.js';
import type { Reach } from './poll-carrier.js';
import type { SteadyCrowdPlan } from './steady-crowd.js';
import type { ReachingCrowd } from './steady-load.process.js';

export type SteadyLoad = RemoteCrowd<ReachingCrowd>;

export const gatherSteadyLoad = (
  place: ProcessPlace,
  reach: Reach,
  plan: SteadyCrowdPlan,
): Promise<SteadyLoad> => RemoteCrowd.gather('load/steady-load.process.js', place, { reach, plan });
