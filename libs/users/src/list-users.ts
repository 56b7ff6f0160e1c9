import { Injectable } from '@nestjs/common';
import type { Caller } from '#contracts';
import { AccessUser } from './access-user.js';
import { type User, UserRepository } from './user.repository.js';

/** Lists the accounts of an organisation, bots and deactivated ones included. */
@Injectable()
export class ListUsers {
  constructor(
    private readonly access: AccessUser,
    private readonly users: UserRepository,
  ) {}

  /** Those that the caller may know of, by id; of these ids only, where some are given. */
  async execute(caller: Caller, userIds?: readonly number[]): Promise<User[]> {
    const visible = await this.access.visibleTo(caller);
    const wanted =
      visible === null ? userIds : (userIds ?? [...visible]).filter((id) => visible.has(id));
    return this.users.list(caller.realm.id, wanted);
  }
}
