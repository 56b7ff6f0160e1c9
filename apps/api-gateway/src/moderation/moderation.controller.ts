import { Controller } from '@nestjs/common';
import type { Caller } from '#contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#edge';
import { ReportMessage } from '#moderation';
import { postReport } from './moderation.schema.js';

@Controller()
export class ModerationController {
  constructor(private readonly reportMessage: ReportMessage) {}

  @Endpoint(postReport)
  async report(
    @SignedIn() caller: Caller,
    @Parameters() { message_id, report_type, description }: ParametersOf<typeof postReport>,
  ) {
    const report = { messageId: message_id, type: report_type, description };
    await this.reportMessage.execute(caller, report);
  }
}
