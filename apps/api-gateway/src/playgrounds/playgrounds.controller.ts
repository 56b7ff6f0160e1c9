import { Controller } from '@nestjs/common';
import type { Caller } from '#contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#edge';
import { CreatePlayground, DeletePlayground } from '#playgrounds';
import { createPlayground, deletePlayground } from './playgrounds.schema.js';

@Controller()
export class PlaygroundsController {
  constructor(
    private readonly createOne: CreatePlayground,
    private readonly deleteOne: DeletePlayground,
  ) {}

  @Endpoint(createPlayground)
  async create(
    @SignedIn() caller: Caller,
    @Parameters()
    { name, pygments_language, url_template }: ParametersOf<typeof createPlayground>,
  ) {
    const playground = { name, pygmentsLanguage: pygments_language, urlTemplate: url_template };
    return { id: await this.createOne.execute(caller, playground) };
  }

  @Endpoint(deletePlayground)
  async delete(
    @SignedIn() caller: Caller,
    @Parameters() { playground_id }: ParametersOf<typeof deletePlayground>,
  ) {
    await this.deleteOne.execute(caller, playground_id);
  }
}
