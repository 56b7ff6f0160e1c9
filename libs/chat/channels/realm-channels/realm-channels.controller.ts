import { Controller } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#platform/http';
import { changeRealm } from './realm-channels.schema.js';
import { RealmChannelsService } from './realm-channels.service.js';

@Controller()
export class RealmChannelsController {
  constructor(private readonly channels: RealmChannelsService) {}

  @Endpoint(changeRealm)
  async change(
    @SignedIn() caller: Caller,
    @Parameters() parameters: ParametersOf<typeof changeRealm>,
  ) {
    await this.channels.change(caller, parameters);
  }
}
