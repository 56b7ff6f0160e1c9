import { Controller } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#platform/http';
import { deleteBotStorage, readBotStorage, updateBotStorage } from './bot-storage.schema.js';
import { BotStorageService } from './bot-storage.service.js';

@Controller()
export class BotStorageController {
  constructor(private readonly storage: BotStorageService) {}

  @Endpoint(readBotStorage)
  async read(
    @SignedIn() caller: Caller,
    @Parameters() { keys }: ParametersOf<typeof readBotStorage>,
  ) {
    return { storage: await this.storage.read(caller, keys) };
  }

  @Endpoint(updateBotStorage)
  async update(
    @SignedIn() caller: Caller,
    @Parameters() { storage }: ParametersOf<typeof updateBotStorage>,
  ) {
    await this.storage.store(caller, storage);
  }

  @Endpoint(deleteBotStorage)
  async remove(
    @SignedIn() caller: Caller,
    @Parameters() { keys }: ParametersOf<typeof deleteBotStorage>,
  ) {
    await this.storage.remove(caller, keys);
  }
}
