import { Inject, Injectable, Optional } from '@nestjs/common';
import { lockRealm } from '#directory/groups';
import { roleErrors, roles } from '#directory/roles';
import { ApiError, type Caller } from '#platform/contracts';
import { Database, type Session, type Transaction } from '#platform/database';
import { type AccessedChannel, ChannelAccess } from '../access/channel-access.js';
import { hasContentAccess } from '../access/channel-access.rules.js';
import { CHANNEL_NOTICES, type ChannelNotices } from '../channel-notices.js';
import type { ChannelPermission } from '../channel-permission-table.rules.js';
import { type ChannelProperties, needsRole } from '../channel-property-table.rules.js';
import type { StoredChannel } from '../channel.repository.js';
import { channelErrors } from '../channels.errors.js';
import { requireChannelBytes } from '../channel-texts.js';
import { ChannelEvents } from '../channels.events.js';
import { checkedChannelName, oneLine } from '../subscribing/channel-name.rules.js';
import { mayAdminister } from '../subscribing/subscribing.rules.js';
import { lockSubscriptions } from '../subscriptions/subscription-lock.js';
import { ChannelChangeEvents } from './channel-change.events.js';
import { noticesOf } from './channel-change-notices.rules.js';
import { ChannelEditStore, type HoldersEdits } from './channel-edit-store.js';

/** The new properties of a channel; missing members stay unchanged. */
export interface ChannelEdit {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly isPrivate?: boolean | undefined;
  readonly isWebPublic?: boolean | undefined;
  readonly isHistoryPublic?: boolean | undefined;
  readonly properties: Partial<ChannelProperties>;
  /** False brings an archived channel back, before the other changes; true archives the channel after them. */
  readonly isArchived?: boolean | undefined;
  readonly holders: HoldersEdits;
}

/** The visibility of the channel depends on these, and so do the permissions to change them. */
const needContentAccess: readonly ChannelPermission[] = ['canAddSubscribersId', 'canSubscribeId'];

/** Changes and archives channels. */
@Injectable()
export class ChannelChangingService {
  constructor(
    private readonly channelAccess: ChannelAccess,
    private readonly edits: ChannelEditStore,
    private readonly events: ChannelChangeEvents,
    private readonly channelEvents: ChannelEvents,
    private readonly database: Database,
    @Optional() @Inject(CHANNEL_NOTICES) private readonly notices: ChannelNotices | null = null,
  ) {}

  /**
   * Changes a channel with its events in one transaction, and then sends notices into it. Rejects with ApiError for a
   * channel that the caller cannot see, that is archived and stays so, or that the caller does not administer, and for
   * invalid values.
   */
  async change(caller: Caller, channelId: number, edit: ChannelEdit): Promise<void> {
    const revives = edit.isArchived === false;
    const change: Change = async (transaction, stored, accessed) => {
      checkEdit(caller, accessed, edit);
      const planned = { ...stored, ...plainChanges(stored, edit) };
      const changed = await this.edits.prepare(transaction, stored, planned, edit.holders);
      return edit.isArchived === true ? this.#archived(transaction, changed) : changed;
    };
    await this.#transact(caller, channelId, {
      change,
      revives,
      archives: edit.isArchived === true,
    });
  }

  /** Archives a channel; its messages stay. Rejects like `change`. */
  async archive(caller: Caller, channelId: number): Promise<void> {
    await this.#transact(caller, channelId, {
      change: (transaction, stored) => this.#archived(transaction, stored),
      revives: false,
      archives: true,
    });
  }

  async #archived(transaction: Transaction, channel: StoredChannel): Promise<StoredChannel> {
    await this.events.archived(transaction, channel);
    return { ...channel, isDefault: false, archivedAt: new Date() };
  }

  async #requireAdministered(
    session: Session,
    caller: Caller,
    channelId: number,
    { mayBeArchived }: { readonly mayBeArchived: boolean },
  ): Promise<AccessedChannel> {
    const accessed = await this.channelAccess.findWithin(session, caller, channelId, 'metadata');
    if (accessed === null || (accessed.channel.archivedAt !== null && !mayBeArchived)) {
      throw new ApiError(channelErrors.invalidChannelId);
    }
    if (!mayAdminister(accessed.permissions, accessed.viewer)) {
      throw new ApiError(channelErrors.cannotAdminister);
    }
    return accessed;
  }

  /**
   * Checks the permission, stores the result of the change with its events and notices, and then sends the notices. The
   * check before the locks spares the organisation those of refused requests. It is repeated after them, because a change
   * that the request waited for may have made the channel private.
   */
  async #transact(
    caller: Caller,
    channelId: number,
    { change, revives, archives }: ChannelChange,
  ): Promise<void> {
    const { realm } = caller;
    const status = { mayBeArchived: revives };
    await this.#requireAdministered(this.database, caller, channelId, status);
    const sendNotices = await this.database.transaction(async (transaction) => {
      // An archived channel loses its tasks in the organisation, whose row changes of groups lock before the subscriptions.
      if (archives) await lockRealm(transaction, realm.id);
      await lockSubscriptions(transaction, realm.id);
      await this.edits.channels.lock(transaction, realm.id, channelId);
      const accessed = await this.#requireAdministered(transaction, caller, channelId, status);
      const found = accessed.channel;
      const stored =
        found.archivedAt === null ? found : await this.edits.revive(transaction, found);
      const before = await this.events.before(transaction, stored);
      const changed = await change(transaction, stored, accessed);
      await this.edits.store(transaction, stored, changed);
      const hasNewTexts =
        changed.name !== stored.name || changed.description !== stored.description;
      if (hasNewTexts) await requireChannelBytes(transaction, realm.id);
      await this.events.changed(transaction, before, changed);
      if (changed.isDefault !== stored.isDefault) {
        await this.channelEvents.defaultsChanged(transaction, realm.id);
      }
      const notices = changed.archivedAt === null ? noticesOf(found, changed) : [];
      if (notices.length === 0) return undefined;
      return this.notices?.changed(transaction, caller, changed, notices);
    });
    await sendNotices?.();
  }
}

/** Resolves with the changed channel; `accessed` has the permissions of the caller. */
type Change = (
  transaction: Transaction,
  stored: StoredChannel,
  accessed: AccessedChannel,
) => Promise<StoredChannel>;

interface ChannelChange {
  readonly change: Change;
  /** Whether an archived channel is brought back before the change. */
  readonly revives: boolean;
  readonly archives: boolean;
}

/** Throws ApiError for a change that the caller cannot make. */
function checkEdit(caller: Caller, accessed: AccessedChannel, edit: ChannelEdit): void {
  if (edit.isWebPublic === true) throw new ApiError(channelErrors.webPublicNotEnabled);
  if (needsRole('owner', edit.properties) && caller.role !== roles.owner) {
    throw new ApiError(roleErrors.mustBeOwner);
  }
  if (needsRole('administrator', edit.properties) && caller.role > roles.administrator) {
    throw new ApiError(roleErrors.mustBeAdministrator);
  }
  const { channel, permissions, viewer } = accessed;
  const changesAccess =
    (edit.isPrivate !== undefined && edit.isPrivate !== channel.isPrivate) ||
    edit.isHistoryPublic !== undefined ||
    needContentAccess.some((permission) => edit.holders[permission] !== undefined);
  if (changesAccess && !hasContentAccess({ ...channel, ...permissions }, viewer)) {
    throw new ApiError(channelErrors.contentAccessRequired);
  }
}

function plainChanges(stored: StoredChannel, edit: ChannelEdit): Partial<StoredChannel> {
  const isPrivate = edit.isPrivate ?? stored.isPrivate;
  // A public channel always shows its history; a channel that becomes private keeps what was chosen, or hides it.
  const chosen =
    edit.isHistoryPublic ?? (isPrivate === stored.isPrivate ? stored.isHistoryPublic : null);
  return {
    isPrivate,
    isWebPublic: stored.isWebPublic && !isPrivate && edit.isWebPublic !== false,
    isHistoryPublic: isPrivate ? chosen : null,
    name: edit.name === undefined ? stored.name : checkedChannelName(edit.name),
    description: edit.description === undefined ? stored.description : oneLine(edit.description),
    ...edit.properties,
  };
}
