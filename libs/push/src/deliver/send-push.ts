import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock, realmUrl } from '#core';
import type {
  OutgoingPush,
  ProviderAnswer,
  PushContent,
  PushTransport,
  Recipient,
} from '#push-transport';
import { PUSH_EXTERNAL_URL } from '../external-url.js';
import { Withdrawals } from '../logout/withdrawals.js';
import { SendingWatch } from '../observe/sending-watch.js';
import { deliveryId } from './delivery-id.rules.js';
import type { DueDelivery } from './delivery.repository.js';

/** The providers keep what a phone that is off cannot show for as long as it could be of use. */
const KEPT_BY_PROVIDERS_MS = 86_400_000;

/** Makes the push of a delivery, and has it sent. */
@Injectable()
export class SendPush {
  /** Of each notification once for all devices that it goes to. */
  readonly #recipients = new WeakMap<DueDelivery['realm'], Recipient>();

  constructor(
    private readonly withdrawals: Withdrawals,
    private readonly sending: SendingWatch,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(PUSH_EXTERNAL_URL) private readonly externalUrl: URL,
  ) {}

  compose(due: DueDelivery, content: PushContent): OutgoingPush {
    return {
      notificationId: due.notificationId,
      deliveryId: deliveryId(due.notificationId, due.deviceId),
      token: due.token,
      appId: due.appId,
      environment: due.environment,
      expiresAt: this.clock() + KEPT_BY_PROVIDERS_MS,
      recipient: this.#recipientOf(due),
      content,
      isWithdrawn: () => this.withdrawals.covers(due.userId, due.keyGeneration),
    };
  }

  /** Sends it once; whoever withdraws what the account is sent meanwhile waits for the answer. */
  async execute(
    transport: PushTransport,
    due: DueDelivery,
    push: OutgoingPush,
  ): Promise<ProviderAnswer> {
    const attempt = {
      platform: due.platform,
      notificationId: due.notificationId,
      attempt: due.attempts + 1,
      traceParent: due.traceParent,
    };
    const sending = this.sending.watch(attempt, () => transport.send(push));
    this.withdrawals.begin(due.userId, sending);
    try {
      return await sending;
    } finally {
      this.withdrawals.end(due.userId, sending);
    }
  }

  #recipientOf({ userId, realm }: DueDelivery): Recipient {
    const known = this.#recipients.get(realm);
    if (known !== undefined) return known;
    const recipient = {
      userId,
      realmId: realm.id,
      realmName: realm.name,
      realmUrl: realmUrl(this.externalUrl, realm.subdomain),
      server: this.externalUrl.host,
    };
    this.#recipients.set(realm, recipient);
    return recipient;
  }
}
