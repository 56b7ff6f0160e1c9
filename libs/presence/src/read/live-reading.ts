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
import type { PresenceEntry } from '../state/presence-entry.js';
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
    const [seenUsers] = await Promise.all([
      this.access.seenBy(viewer),
      directory.ready(viewer.userId),
    ]);
    const { mirror, own } = await this.#stateFor(viewer);
    const nowMs = this.clock();
    const seenSince = pictureReachesTo(nowMs / 1000);
    const others = mirror.shown().filter(({ userId }) => userId !== own?.userId);
    const people = [...others, ...(own ? [own] : [])].flatMap(({ userId, activeAt, idleAt }) => {
      const user = directory.get(userId);
      const isShown = user?.isActive === true && idleAt >= seenSince;
      if (!isShown || seenUsers?.has(userId) === false) return [];
      return { email: user.email, activeAt, idleAt };
    });
    return realmPicture(people, nowMs);
  }

  /** See PresenceReading. Rejects while the realm is still being loaded. */
  async readUser(question: UserPresenceQuestion): Promise<UserReading> {
    const seenUsers = await this.access.seenBy(question);
    const { mirror, own } = await this.#stateFor(question);
    if (seenUsers?.has(question.askedUserId) === false) return 'notAllowed';
    const isOwn = question.askedUserId === question.userId;
    const shown = (isOwn ? own : undefined) ?? mirror.node(question.askedUserId)?.shown;
    return shown ? { activeAt: shown.activeAt, idleAt: shown.idleAt } : 'unknown';
  }

  /**
   * The mirror, and what the viewer has reported where that is not in it yet. It must be read without waiting: from now
   * on the viewer is given no earlier state.
   */
  async #stateFor({
    realmId,
    userId,
  }: PresenceViewer): Promise<{ mirror: Mirror; own: PresenceEntry | undefined }> {
    const realm = this.realms.of(realmId);
    await realm.ready();
    const mirror = await realm.current();
    if (!mirror) throw new Error('The realm is not loaded yet');
    realm.served.note(userId, mirror.revision, this.clock());
    return { mirror, own: realm.acceptedAhead(userId) };
  }
}
