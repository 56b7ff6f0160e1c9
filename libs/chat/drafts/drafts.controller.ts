import { Controller } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#platform/http';
import { toDraftResponse } from './drafts.response.js';
import { createDrafts, deleteDraft, editDraft, listDrafts, toGivenDraft } from './drafts.schema.js';
import { DraftsService } from './drafts.service.js';

@Controller()
export class DraftsController {
  constructor(private readonly drafts: DraftsService) {}

  @Endpoint(listDrafts)
  async list(@SignedIn() caller: Caller) {
    const drafts = (await this.drafts.list(caller)).map(toDraftResponse);
    return { count: drafts.length, drafts };
  }

  @Endpoint(createDrafts)
  async create(
    @SignedIn() caller: Caller,
    @Parameters() { drafts }: ParametersOf<typeof createDrafts>,
  ) {
    return { ids: await this.drafts.create(caller, drafts.map(toGivenDraft)) };
  }

  @Endpoint(editDraft)
  async edit(
    @SignedIn() caller: Caller,
    @Parameters() { draft_id, draft }: ParametersOf<typeof editDraft>,
  ) {
    await this.drafts.edit(caller, draft_id, toGivenDraft(draft));
  }

  @Endpoint(deleteDraft)
  async delete(
    @SignedIn() caller: Caller,
    @Parameters() { draft_id }: ParametersOf<typeof deleteDraft>,
  ) {
    await this.drafts.remove(caller, draft_id);
  }
}
