import { Controller } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#platform/http';
import { toSavedSnippetResponse } from './saved-snippets.response.js';
import {
  createSavedSnippet,
  deleteSavedSnippet,
  editSavedSnippet,
  listSavedSnippets,
} from './saved-snippets.schema.js';
import { SavedSnippetsService } from './saved-snippets.service.js';

@Controller()
export class SavedSnippetsController {
  constructor(private readonly snippets: SavedSnippetsService) {}

  @Endpoint(listSavedSnippets)
  async list(@SignedIn() caller: Caller) {
    const snippets = await this.snippets.list(caller);
    return { saved_snippets: snippets.map(toSavedSnippetResponse) };
  }

  @Endpoint(createSavedSnippet)
  async create(
    @SignedIn() caller: Caller,
    @Parameters() { title, content }: ParametersOf<typeof createSavedSnippet>,
  ) {
    return { saved_snippet_id: await this.snippets.create(caller, { title, content }) };
  }

  @Endpoint(editSavedSnippet)
  async edit(
    @SignedIn() caller: Caller,
    @Parameters() { saved_snippet_id, title, content }: ParametersOf<typeof editSavedSnippet>,
  ) {
    await this.snippets.edit(caller, saved_snippet_id, { title, content });
  }

  @Endpoint(deleteSavedSnippet)
  async delete(
    @SignedIn() caller: Caller,
    @Parameters() { saved_snippet_id }: ParametersOf<typeof deleteSavedSnippet>,
  ) {
    await this.snippets.remove(caller, saved_snippet_id);
  }
}
