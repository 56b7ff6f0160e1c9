import { Injectable } from '@nestjs/common';
import type { Caller } from '#contracts';
import { AccessUser } from '#users';
import { type UserStatus, UserStatusRepository } from './user-status.repository.js';

/** A status as others see it. */
export interface SeenStatus extends UserStatus {
  /** Does not share their presence. */
  readonly isAway: boolean;
}

/** Tells what a user says of themselves. */
@Injectable()
export class GetUserStatus {
  constructor(
    private readonly access: AccessUser,
    private readonly statuses: UserStatusRepository,
  ) {}

  /** Throws ApiError `noSuchUser` for whom the caller may not know of. */
  async execute(caller: Caller, userId: number): Promise<SeenStatus> {
    const user = await this.access.execute(caller, userId);
    return { ...(await this.statuses.find(user.id)), isAway: !user.isPresenceEnabled };
  }
}
