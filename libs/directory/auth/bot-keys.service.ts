import { Inject, Injectable } from '@nestjs/common';
import { mayAdminister, roleErrors } from '#directory/roles';
import { ApiError, type Caller, isRowId } from '#platform/contracts';
import { AccountRepository } from './account.repository.js';
import { apiKeyErrors } from './api-key.errors.js';
import { openSealedApiKey } from './api-key.js';
import { API_KEY_SECRET } from './api-keys.service.js';

/** The API keys of bots, for those who manage the bots. */
@Injectable()
export class BotKeysService {
  constructor(
    private readonly accounts: AccountRepository,
    @Inject(API_KEY_SECRET) private readonly secret: Buffer,
  ) {}

  /**
   * The API key of an active bot, for its owner and for administrators; of a bot with the role of an owner only for owners,
   * because the key signs in with that role. Rejects with `noSuchBot` and `insufficientPermission`.
   */
  async keyOf(caller: Caller, botId: number): Promise<string> {
    const bot = isRowId(botId) ? await this.accounts.findBot(caller.realm.id, botId) : null;
    if (bot === null) throw new ApiError(apiKeyErrors.noSuchBot);
    if (bot.ownerId !== caller.userId && !mayAdminister(caller.role, bot.role)) {
      throw new ApiError(roleErrors.insufficientPermission);
    }
    return openSealedApiKey(bot, this.secret);
  }
}
