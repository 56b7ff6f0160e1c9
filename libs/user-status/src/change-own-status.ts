import { Injectable } from '@nestjs/common';
import type { Caller } from '#contracts';
import { ChangePresenceSharing } from '#settings';
import { ResolveStatus } from './resolve-status.js';
import { refuseEmptyRequest, type StatusRequest } from './status-request.rules.js';
import { UserStatusRepository } from './user-status.repository.js';

/** A request for one's own status, with which one may also go invisible and come back. */
export interface OwnStatusRequest extends StatusRequest {
  readonly isAway?: boolean | undefined;
}

/** Changes what the caller says of themselves. */
@Injectable()
export class ChangeOwnStatus {
  constructor(
    private readonly resolve: ResolveStatus,
    private readonly statuses: UserStatusRepository,
    private readonly presenceSharing: ChangePresenceSharing,
  ) {}

  /** Throws ApiError, before anything has changed, when the request is empty or its emoji is none. */
  async execute(caller: Caller, { isAway, ...request }: OwnStatusRequest): Promise<void> {
    refuseEmptyRequest(request, isAway !== undefined);
    const change = await this.resolve.execute(caller.realm.id, request);
    if (isAway !== undefined) await this.presenceSharing.execute(caller, !isAway);
    if (change.text !== undefined || change.emoji !== undefined) {
      await this.statuses.change(caller.userId, change);
    }
  }
}
