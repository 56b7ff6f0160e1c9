import { Injectable } from '@nestjs/common';
import { substitutedUserId, VisibleUsersRepository } from '#directory/guest-access';
import type { PresenceViewer } from '#platform/contracts';
import { type Person, PersonRepository } from '#presence/last-seen';

/** Finds a user by id, or by the address that the viewer sees. */
@Injectable()
export class PersonLookup {
  constructor(
    private readonly people: PersonRepository,
    private readonly visibleUsers: VisibleUsersRepository,
  ) {}

  /**
   * Null without an active account. A guest finds a hidden user by the substitute address and not by the real address,
   * which would reveal the owner of an id.
   */
  async find(viewer: PresenceViewer, idOrEmail: string): Promise<Person | null> {
    const found = await this.people.find(viewer.realmId, idOrEmail);
    const { substituteHost } = viewer;
    if (substituteHost === undefined || /^\d+$/.test(idOrEmail)) return found;
    const substituted = substitutedUserId(idOrEmail, substituteHost);
    if (found !== null) {
      const isShown = found.userId === substituted || !(await this.#isHidden(viewer, found));
      return isShown ? found : null;
    }
    if (substituted === null) return null;
    const person = await this.people.find(viewer.realmId, String(substituted));
    return person !== null && (await this.#isHidden(viewer, person)) ? person : null;
  }

  async #isHidden({ userId: viewerId }: PresenceViewer, person: Person): Promise<boolean> {
    if (person.userId === viewerId) return false;
    const pair = { viewerId, otherId: person.userId };
    return (await this.visibleUsers.hiddenAmong([pair])).length > 0;
  }
}
