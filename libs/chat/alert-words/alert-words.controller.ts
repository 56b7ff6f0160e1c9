import { Controller } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#platform/http';
import { addAlertWords, listAlertWords, removeAlertWords } from './alert-words.schema.js';
import { AlertWordsService } from './alert-words.service.js';

@Controller()
export class AlertWordsController {
  constructor(private readonly words: AlertWordsService) {}

  @Endpoint(listAlertWords)
  async list(@SignedIn() caller: Caller) {
    return { alert_words: await this.words.list(caller) };
  }

  @Endpoint(addAlertWords)
  async add(
    @SignedIn() caller: Caller,
    @Parameters() { alert_words }: ParametersOf<typeof addAlertWords>,
  ) {
    return { alert_words: await this.words.add(caller, alert_words) };
  }

  @Endpoint(removeAlertWords)
  async remove(
    @SignedIn() caller: Caller,
    @Parameters() { alert_words }: ParametersOf<typeof removeAlertWords>,
  ) {
    return { alert_words: await this.words.remove(caller, alert_words) };
  }
}
