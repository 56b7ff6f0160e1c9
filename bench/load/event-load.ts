import type { ProcessPlace } from '../processes/process-place.js';
import { RemoteCrowd } from '../processes/remote-crowd.js';
import type { EventCrowd, EventCrowdPlan } from './event-crowd.js';

export type EventLoad = RemoteCrowd<EventCrowd>;

export const gatherEventLoad = (place: ProcessPlace, plan: EventCrowdPlan): Promise<EventLoad> =>
  RemoteCrowd.gather('load/event-load.process.js', place, plan);
