import { Injectable } from '@nestjs/common';
import { ApiError, type Caller } from '#contracts';
import { AdministerUser } from '#users';
import { ResolveStatus } from './resolve-status.js';
import { refuseEmptyRequest, type StatusRequest } from './status-request.rules.js';
import { UserStatusRepository } from './user-status.repository.js';

/** Changes, as an administrator, what another user's status says. */
@Injectable()
export class ChangeUserStatus {
  constructor(
    private readonly administer: AdministerUser,
    private readonly resolve: ResolveStatus,
    private readonly statuses: UserStatusRepository,
  ) {}

  /**
   * Throws ApiError as AdministerUser does for whom the caller may not change, `noSuchUser` for a bot, and
   * then when the request is empty or its emoji is none.
   */
  async execute(caller: Caller, userId: number, request: StatusRequest): Promise<void> {
    const user = await this.administer.execute(caller, userId);
    if (user.isBot) throw new ApiError('noSuchUser');
    refuseEmptyRequest(request, false);
    const change = await this.resolve.execute(caller.realm.id, request);
    await this.statuses.change(user.id, change);
  }
}
