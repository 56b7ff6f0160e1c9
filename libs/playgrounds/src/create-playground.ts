import { Inject, Injectable } from '@nestjs/common';
import { ApiError, type Caller, LIMITS, type Limits } from '#contracts';
import { type NewPlayground, PlaygroundRepository } from './playground.repository.js';
import { checkPlayground, playgroundExists } from './playground.rules.js';

/** Adds a playground to the caller's organisation. */
@Injectable()
export class CreatePlayground {
  constructor(
    private readonly playgrounds: PlaygroundRepository,
    @Inject(LIMITS) private readonly limits: Pick<Limits, 'playgrounds'>,
  ) {}

  /** Resolves with the new playground's id. Rejects with ApiError for one that cannot be, or is there. */
  async execute(caller: Caller, playground: NewPlayground): Promise<number> {
    checkPlayground(playground);
    const limit = this.limits.playgrounds;
    const created = await this.playgrounds.create(caller.realm.id, playground, limit);
    if (created === 'name is taken') throw playgroundExists();
    if (created === 'list is full') {
      throw new ApiError('organizationLimitReached', { limit, what: 'code playgrounds' });
    }
    return created;
  }
}
