import { Controller } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#platform/http';
import { addReaction, removeReaction } from './reactions.schema.js';
import { ReactionsService } from './reactions.service.js';

@Controller()
export class ReactionsController {
  constructor(private readonly reactions: ReactionsService) {}

  @Endpoint(addReaction)
  async add(@SignedIn() caller: Caller, @Parameters() given: ParametersOf<typeof addReaction>) {
    await this.reactions.add(caller, given.message_id, choiceOf(given));
  }

  @Endpoint(removeReaction)
  async remove(
    @SignedIn() caller: Caller,
    @Parameters() given: ParametersOf<typeof removeReaction>,
  ) {
    await this.reactions.remove(caller, given.message_id, choiceOf(given));
  }
}

const choiceOf = ({
  emoji_name: name,
  emoji_code: code,
  reaction_type: type,
}: ParametersOf<typeof removeReaction>) => ({ name, code, type });
