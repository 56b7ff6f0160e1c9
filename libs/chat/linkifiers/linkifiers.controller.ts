import { Controller } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#platform/http';
import { toLinkifierResponse } from './linkifiers.response.js';
import {
  changeLinkifier,
  createLinkifier,
  deleteLinkifier,
  listLinkifiers,
  reorderLinkifiers,
} from './linkifiers.schema.js';
import { type LinkifierChange, LinkifiersService } from './linkifiers.service.js';

@Controller()
export class LinkifiersController {
  constructor(private readonly linkifiers: LinkifiersService) {}

  @Endpoint(listLinkifiers)
  async list(@SignedIn() caller: Caller) {
    return { linkifiers: (await this.linkifiers.list(caller)).map(toLinkifierResponse) };
  }

  @Endpoint(reorderLinkifiers)
  async reorder(
    @SignedIn() caller: Caller,
    @Parameters() { ordered_linkifier_ids }: ParametersOf<typeof reorderLinkifiers>,
  ) {
    await this.linkifiers.reorder(caller, ordered_linkifier_ids);
  }

  @Endpoint(createLinkifier)
  async create(
    @SignedIn() caller: Caller,
    @Parameters() given: ParametersOf<typeof createLinkifier>,
  ) {
    return { id: await this.linkifiers.create(caller, toLinkifierChange(given)) };
  }

  @Endpoint(changeLinkifier)
  async change(
    @SignedIn() caller: Caller,
    @Parameters() given: ParametersOf<typeof changeLinkifier>,
  ) {
    await this.linkifiers.change(caller, given.filter_id, toLinkifierChange(given));
  }

  @Endpoint(deleteLinkifier)
  async delete(
    @SignedIn() caller: Caller,
    @Parameters() { filter_id }: ParametersOf<typeof deleteLinkifier>,
  ) {
    await this.linkifiers.remove(caller, filter_id);
  }
}

/** An empty text stands for none. */
const toLinkifierChange = (given: ParametersOf<typeof createLinkifier>): LinkifierChange => ({
  pattern: given.pattern,
  urlTemplate: given.url_template,
  exampleInput: given.example_input === '' ? null : given.example_input,
  reverseTemplate: given.reverse_template === '' ? null : given.reverse_template,
  alternativeUrlTemplates: given.alternative_url_templates,
});
