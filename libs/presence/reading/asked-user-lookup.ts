import { Injectable } from '@nestjs/common';
import { substitutedUserId, VisibleUsersRepository } from '#directory/guest-access';
import { type PresenceSubject, AskedUserRepository } from '#presence/last-seen';
import type { PresenceViewer } from '#presence/rpc';

/** Finds a user by id, or by the address that the viewer sees. */
@Injectable()
export class AskedUserLookup {
  constructor(
    private readonly users: AskedUserRepository,
    private readonly visibleUsers: VisibleUsersRepository,
  ) {}

  /**
   * Null without an active account. A guest finds a hidden user by the substitute address and not by the real address,
   * which would reveal the owner of an id.
   */
  async find(viewer: PresenceViewer, idOrEmail: string): Promise<PresenceSubject | null> {
    const found = await this.users.find(viewer.realmId, idOrEmail);
    const { substituteHost } = viewer;
    if (substituteHost === undefined || /^\d+$/.test(idOrEmail)) return found;
    const substituted = substitutedUserId(idOrEmail, substituteHost);
    if (found !== null) {
      const isShown = found.userId === substituted || !(await this.#isHidden(viewer, found));
      return isShown ? found : null;
    }
    if (substituted === null) return null;
    const user = await this.users.find(viewer.realmId, String(substituted));
    return user !== null && (await this.#isHidden(viewer, user)) ? user : null;
  }

  async #isHidden({ userId: viewerId }: PresenceViewer, user: PresenceSubject): Promise<boolean> {
    if (user.userId === viewerId) return false;
    const pair = { viewerId, otherId: user.userId };
    return (await this.visibleUsers.hiddenAmong([pair])).length > 0;
  }
}
