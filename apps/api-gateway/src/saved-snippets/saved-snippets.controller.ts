import { Controller } from '@nestjs/common';
import type { Caller } from '#contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#edge';
import {
  CreateSavedSnippet,
  DeleteSavedSnippet,
  EditSavedSnippet,
  ListSavedSnippets,
} from '#saved-snippets';
import { savedSnippetAnswer } from './saved-snippets.answer.js';
import {
  createSavedSnippet,
  deleteSavedSnippet,
  editSavedSnippet,
  listSavedSnippets,
} from './saved-snippets.schema.js';

@Controller()
export class SavedSnippetsController {
  constructor(
    private readonly listSnippets: ListSavedSnippets,
    private readonly createSnippet: CreateSavedSnippet,
    private readonly editSnippet: EditSavedSnippet,
    private readonly deleteSnippet: DeleteSavedSnippet,
  ) {}

  @Endpoint(listSavedSnippets)
  async list(@SignedIn() caller: Caller) {
    const snippets = await this.listSnippets.execute(caller);
    return { saved_snippets: snippets.map(savedSnippetAnswer) };
  }

  @Endpoint(createSavedSnippet)
  async create(
    @SignedIn() caller: Caller,
    @Parameters() { title, content }: ParametersOf<typeof createSavedSnippet>,
  ) {
    return { saved_snippet_id: await this.createSnippet.execute(caller, { title, content }) };
  }

  @Endpoint(editSavedSnippet)
  async edit(
    @SignedIn() caller: Caller,
    @Parameters() { saved_snippet_id, title, content }: ParametersOf<typeof editSavedSnippet>,
  ) {
    await this.editSnippet.execute(caller, saved_snippet_id, { title, content });
  }

  @Endpoint(deleteSavedSnippet)
  async delete(
    @SignedIn() caller: Caller,
    @Parameters() { saved_snippet_id }: ParametersOf<typeof deleteSavedSnippet>,
  ) {
    await this.deleteSnippet.execute(caller, saved_snippet_id);
  }
}
