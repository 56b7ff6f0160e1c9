import type {
  PresenceReading,
  PresenceViewer,
  UserPresenceQuestion,
  UserReading,
} from '#contracts';
import type { Clock } from '#core';
import type { AccessLimits } from '../access/access-limits.js';
import type { UserDirectories } from '../directory/user-directories.js';
import type { Mirror } from '../mirror/mirror.js';
import type { RealmRegistry } from '../realm/realm-registry.js';
import { pictureReachesTo, realmPicture } from './presence-picture.rules.js';

/** What is read of presence, from the mirrors. */
export class LiveReading implements PresenceReading {
  constructor(
    private readonly realms: RealmRegistry,
    private readonly directories: UserDirectories,
    private readonly access: AccessLimits,
    private readonly clock: Clock,
  ) {}

  /** See PresenceReading. Rejects while the realm is still being loaded. */
  async readRealm(viewer: PresenceViewer): Promise<string> {
    const directory = this.directories.of(viewer.realmId);
    const [mirror, seenUsers] = await Promise.all([
      this.#mirrorOf(viewer.realmId),
      this.access.seenBy(viewer),
      directory.ready(viewer.userId),
    ]);
    const nowMs = this.clock();
    const seenSince = pictureReachesTo(nowMs / 1000);
    const people = mirror.shown().flatMap(({ userId, activeAt, idleAt }) => {
      const user = directory.get(userId);
      const isShown = user?.isActive === true && idleAt >= seenSince;
      if (!isShown || seenUsers?.has(userId) === false) return [];
      return { email: user.email, activeAt, idleAt };
    });
    return realmPicture(people, nowMs);
  }

  /** See PresenceReading. Rejects while the realm is still being loaded. */
  async readUser(question: UserPresenceQuestion): Promise<UserReading> {
    const [mirror, seenUsers] = await Promise.all([
      this.#mirrorOf(question.realmId),
      this.access.seenBy(question),
    ]);
    if (seenUsers?.has(question.askedUserId) === false) return 'notAllowed';
    const shown = mirror.node(question.askedUserId)?.shown;
    return shown ? { activeAt: shown.activeAt, idleAt: shown.idleAt } : 'unknown';
  }

  async #mirrorOf(realmId: number): Promise<Mirror> {
    const realm = this.realms.of(realmId);
    await realm.ready();
    if (!realm.mirror) throw new Error('The realm is not loaded yet');
    return realm.mirror;
  }
}
