import { Injectable } from '@nestjs/common';
import { type DeclaredTypes, DeclaresEvents } from '#events/declarations';
import { EventLog } from '#events/log';
import type { Transaction } from '#platform/database';
import { AttachmentEventRepository, type OwnAttachment } from './attachment-event.repository.js';

/** A removed file. */
export interface RemovedAttachment {
  readonly id: number;
  readonly ownerId: number;
  readonly realmId: number;
}

type Change =
  | { readonly op: 'add' | 'update'; readonly attachment: object }
  | { readonly op: 'remove'; readonly attachment: { readonly id: number } };

/** The events of uploaded files. Only the owner of a file gets them; `POST /register` has no state of files. */
@Injectable()
@DeclaresEvents()
export class AttachmentEvents implements DeclaredTypes {
  readonly types = [{ type: 'attachment' }];

  constructor(
    private readonly attachments: AttachmentEventRepository,
    private readonly log: EventLog,
  ) {}

  /** Adds the event of a new file, in the transaction that stores its row. */
  async added(transaction: Transaction, attachmentId: number): Promise<void> {
    await this.#changed(transaction, 'add', [attachmentId]);
  }

  /** Adds the events of files whose links have changed, after the change in the transaction of the message. */
  async linked(transaction: Transaction, attachmentIds: readonly number[]): Promise<void> {
    if (attachmentIds.length === 0) return;
    await this.attachments.lock(transaction, attachmentIds);
    await this.#changed(transaction, 'update', attachmentIds);
  }

  /** Adds the events of removed files, after their removal in its transaction. */
  async removed(transaction: Transaction, removed: readonly RemovedAttachment[]): Promise<void> {
    if (removed.length === 0) return;
    await this.#append(
      transaction,
      removed.map((file) => ({ file, change: { op: 'remove', attachment: { id: file.id } } })),
    );
  }

  async #changed(
    transaction: Transaction,
    op: 'add' | 'update',
    attachmentIds: readonly number[],
  ): Promise<void> {
    const found = await this.attachments.find(transaction, attachmentIds);
    await this.#append(
      transaction,
      found.map((file) => ({ file, change: { op, attachment: toAttachmentResponse(file) } })),
    );
  }

  async #append(
    transaction: Transaction,
    changes: readonly { readonly file: RemovedAttachment; readonly change: Change }[],
  ): Promise<void> {
    const realmIds = changes.map(({ file }) => file.realmId);
    const used = await this.attachments.usedSpace(transaction, realmIds);
    const events = changes.map(({ file: { ownerId, realmId }, change }) => ({
      realmId,
      type: 'attachment',
      body: { ...change, upload_space_used: used.get(realmId) ?? 0 },
      audience: { userIds: [ownerId] },
    }));
    this.log.append(transaction, ...events);
  }
}

/** A file as its owner sees it, in the format of the API. */
export const toAttachmentResponse = (file: OwnAttachment) => ({
  id: file.id,
  name: file.fileName,
  size: file.sizeBytes,
  path_id: file.pathId,
  create_time: Math.floor(file.createdAt.getTime() / 1000),
  message_ids: file.messageIds,
});
