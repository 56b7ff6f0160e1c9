import type { ProcessPlace } from '../processes/process-place.js';
import { RemoteCrowd } from '../processes/remote-crowd.js';
import type { PushCrowd, PushPlan } from './push-crowd.js';

export type PushLoad = RemoteCrowd<PushCrowd>;

export const gatherPushLoad = (place: ProcessPlace, plan: PushPlan): Promise<PushLoad> =>
  RemoteCrowd.gather('load/push-load.process.js', place, plan);

/** Sends one notification at a time and waits for its arrival before the next. */
export async function sendSingly(
  load: PushLoad,
  notifications: number,
): Promise<{ requests: number }> {
  for (let sent = 0; sent < notifications; sent += 1) await load.call('send', 1, 1);
  return { requests: notifications };
}
