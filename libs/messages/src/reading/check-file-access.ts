import { Injectable } from '@nestjs/common';
import type { Caller } from '#contracts';
import { GroupMembershipRepository } from '#user-groups';
import { LinkedFileRepository } from './linked-file.repository.js';

/** Tells who may read an uploaded file because somebody sent it to them. */
@Injectable()
export class CheckFileAccess {
  constructor(
    private readonly files: LinkedFileRepository,
    private readonly membership: GroupMembershipRepository,
  ) {}

  /** Whether a message that the caller may read links the file; its owner is not asked about. */
  async execute(caller: Caller, attachmentId: number): Promise<boolean> {
    const groups = await this.membership.groupsOf(caller.userId);
    const reader = { userId: caller.userId, realmId: caller.realm.id };
    return this.files.isReadBy(reader, groups, attachmentId);
  }
}
