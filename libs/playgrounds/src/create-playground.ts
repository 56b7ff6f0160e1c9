import { Injectable } from '@nestjs/common';
import type { Caller } from '#contracts';
import { type NewPlayground, PlaygroundRepository } from './playground.repository.js';
import { checkPlayground, playgroundExists } from './playground.rules.js';

/** Adds a playground to the caller's organisation. */
@Injectable()
export class CreatePlayground {
  constructor(private readonly playgrounds: PlaygroundRepository) {}

  /** Resolves with the new playground's id. Rejects with ApiError for one that cannot be, or is there. */
  async execute(caller: Caller, playground: NewPlayground): Promise<number> {
    checkPlayground(playground);
    const id = await this.playgrounds.create(caller.realm.id, playground);
    if (id === null) throw playgroundExists();
    return id;
  }
}
