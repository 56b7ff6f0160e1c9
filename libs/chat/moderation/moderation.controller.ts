import { Controller } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#platform/http';
import { postReport } from './moderation.schema.js';
import { ModerationService } from './moderation.service.js';

@Controller()
export class ModerationController {
  constructor(private readonly moderation: ModerationService) {}

  @Endpoint(postReport)
  async report(
    @SignedIn() caller: Caller,
    @Parameters() { message_id, report_type, description }: ParametersOf<typeof postReport>,
  ) {
    const report = { messageId: message_id, type: report_type, description };
    await this.moderation.report(caller, report);
  }
}
