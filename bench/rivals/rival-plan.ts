import type { ApnsAccess } from '../limits/apns-access.js';
import type { BenchUser } from '../world/bench-world.js';

export type RivalPackage = '@parse/node-apn' | 'apns2' | 'firebase-admin';

/** What a process of a rival needs. */
export interface RivalPlan {
  /** What the process does: it takes requests, or it delivers jobs. */
  readonly role: 'requests' | 'deliveries';
  readonly package: RivalPackage;
  readonly redisUrl: string;
  /** How to reach Apple and Google in the push sandbox. */
  readonly access: {
    readonly apns: ApnsAccess;
    readonly fcm: { readonly port: number; readonly accountFile: string };
  };
  /** The topic of Apple. */
  readonly topic: string;
  readonly users: readonly BenchUser[];
  readonly phones: readonly { readonly userId: number; readonly token: string }[];
}
