import { Injectable } from '@nestjs/common';
import { ApiError, type Caller } from '#contracts';
import { PlaygroundRepository } from './playground.repository.js';

/** Deletes a playground of the caller's organisation. */
@Injectable()
export class DeletePlayground {
  constructor(private readonly playgrounds: PlaygroundRepository) {}

  /** Rejects with `invalidPlayground` when there is none. */
  async execute(caller: Caller, playgroundId: number): Promise<void> {
    if (!(await this.playgrounds.delete(caller.realm.id, playgroundId))) {
      throw new ApiError('invalidPlayground');
    }
  }
}
