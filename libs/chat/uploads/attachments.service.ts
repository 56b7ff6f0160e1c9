import { Injectable } from '@nestjs/common';
import { AttachmentEvents } from '#chat/attachments';
import { Database } from '#platform/database';
import {
  AttachmentRepository,
  type CleanupResult,
  type NewAttachment,
  type RemovedFile,
} from './attachment.repository.js';

/** Adds and removes the rows of files, with the events for their owners. */
@Injectable()
export class AttachmentsService {
  constructor(
    private readonly database: Database,
    private readonly attachments: AttachmentRepository,
    private readonly events: AttachmentEvents,
  ) {}

  /** As AttachmentRepository.add. */
  async add(
    file: NewAttachment,
    limit: number,
  ): Promise<number | 'quota exceeded' | 'list is full'> {
    return this.database.transaction(async (transaction) => {
      const added = await this.attachments.add(file, limit, transaction);
      if (typeof added === 'number') await this.events.added(transaction, added);
      return added;
    });
  }

  /**
   * Removes the row of a file, with `ownerId` only that of the owner, and returns its quota. Resolves with the removed
   * file; null for an unknown file.
   */
  async remove(id: number, ownerId: number | null = null): Promise<RemovedFile | null> {
    return this.database.transaction(async (transaction) => {
      const removed = await this.attachments.remove(transaction, id, ownerId);
      if (removed !== null) await this.events.removed(transaction, [removed]);
      return removed;
    });
  }

  /** As AttachmentRepository.removeUnclaimed. */
  async removeUnclaimed(days: number, limit: number): Promise<CleanupResult> {
    return this.database.transaction(async (transaction) => {
      const result = await this.attachments.removeUnclaimed(days, limit, transaction);
      await this.events.removed(transaction, result.removed);
      return result;
    });
  }
}
