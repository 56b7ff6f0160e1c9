import { Controller } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#platform/http';
import { createPlayground, deletePlayground } from './playgrounds.schema.js';
import { PlaygroundsService } from './playgrounds.service.js';

@Controller()
export class PlaygroundsController {
  constructor(private readonly playgrounds: PlaygroundsService) {}

  @Endpoint(createPlayground)
  async create(
    @SignedIn() caller: Caller,
    @Parameters()
    { name, pygments_language, url_template }: ParametersOf<typeof createPlayground>,
  ) {
    const playground = { name, pygmentsLanguage: pygments_language, urlTemplate: url_template };
    return { id: await this.playgrounds.create(caller, playground) };
  }

  @Endpoint(deletePlayground)
  async delete(
    @SignedIn() caller: Caller,
    @Parameters() { playground_id }: ParametersOf<typeof deletePlayground>,
  ) {
    await this.playgrounds.remove(caller, playground_id);
  }
}
