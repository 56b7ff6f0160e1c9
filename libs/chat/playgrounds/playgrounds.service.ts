import { Inject, Injectable } from '@nestjs/common';
import { ApiError, type Caller, LIMITS, type Limits, limitErrors } from '#platform/contracts';
import { type NewPlayground, PlaygroundRepository } from './playground.repository.js';
import { checkPlayground, playgroundExists } from './playground.rules.js';
import { playgroundErrors } from './playgrounds.errors.js';

/** The code playgrounds of an organisation: websites that run code of a language. */
@Injectable()
export class PlaygroundsService {
  constructor(
    private readonly playgrounds: PlaygroundRepository,
    @Inject(LIMITS) private readonly limits: Pick<Limits, 'playgrounds'>,
  ) {}

  /** Resolves with the new playground's id. Rejects with ApiError for an invalid playground and for a duplicate. */
  async create(caller: Caller, playground: NewPlayground): Promise<number> {
    checkPlayground(playground);
    const limit = this.limits.playgrounds;
    const created = await this.playgrounds.create(caller.realm.id, playground, limit);
    if (created === 'name is taken') throw playgroundExists();
    if (created === 'list is full') {
      throw new ApiError(limitErrors.organizationLimitReached, { limit, what: 'code playgrounds' });
    }
    return created;
  }

  /** Rejects with `invalidPlayground` when the organisation has no such playground. */
  async remove(caller: Caller, playgroundId: number): Promise<void> {
    if (!(await this.playgrounds.delete(caller.realm.id, playgroundId))) {
      throw new ApiError(playgroundErrors.invalidPlayground);
    }
  }
}
