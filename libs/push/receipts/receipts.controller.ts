import { Controller } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#platform/http';
import { addReceipts } from './receipts.schema.js';
import { ReceiptsService } from './receipts.service.js';

@Controller()
export class ReceiptsController {
  constructor(private readonly receipts: ReceiptsService) {}

  @Endpoint(addReceipts)
  async add(
    @SignedIn() caller: Caller,
    @Parameters() { receipts, device_id: deviceId = 0 }: ParametersOf<typeof addReceipts>,
  ) {
    const accepted = await this.receipts.add(
      caller,
      receipts.map((one) => ({
        userId: caller.userId,
        deviceId,
        notificationId: one.notification_id ?? null,
        messageId: one.message_id ?? null,
        event: one.event,
        time: one.time,
      })),
    );
    return { accepted, ignored: receipts.length - accepted };
  }
}
