import { Inject, Injectable } from '@nestjs/common';
import { ApiError, type Caller, LIMITS, type Limits, limitErrors } from '#platform/contracts';
import { Database } from '#platform/database';
import { type NewPlayground, PlaygroundRepository } from './playground.repository.js';
import { checkPlayground, playgroundExists } from './playground.rules.js';
import { playgroundErrors } from './playgrounds.errors.js';
import { PlaygroundEvents } from './playgrounds.events.js';

/** The code playgrounds of an organisation: websites that run code of a language. */
@Injectable()
export class PlaygroundsService {
  constructor(
    private readonly playgrounds: PlaygroundRepository,
    private readonly database: Database,
    private readonly events: PlaygroundEvents,
    @Inject(LIMITS) private readonly limits: Pick<Limits, 'playgrounds'>,
  ) {}

  /** Resolves with the new playground's id. Rejects with ApiError for an invalid playground and for a duplicate. */
  async create({ realm }: Caller, playground: NewPlayground): Promise<number> {
    checkPlayground(playground);
    const limit = this.limits.playgrounds;
    return this.database.transaction(async (transaction) => {
      const created = await this.playgrounds.create(transaction, realm.id, playground, limit);
      if (created === 'name is taken') throw playgroundExists();
      if (created === 'list is full') {
        const details = { limit, what: 'code playgrounds' };
        throw new ApiError(limitErrors.organizationLimitReached, details);
      }
      await this.events.changed(transaction, realm.id);
      return created;
    });
  }

  /** Rejects with `invalidPlayground` when the organisation has no such playground. */
  async remove({ realm }: Caller, playgroundId: number): Promise<void> {
    await this.database.transaction(async (transaction) => {
      if (!(await this.playgrounds.delete(transaction, realm.id, playgroundId))) {
        throw new ApiError(playgroundErrors.invalidPlayground);
      }
      await this.events.changed(transaction, realm.id);
    });
  }
}
