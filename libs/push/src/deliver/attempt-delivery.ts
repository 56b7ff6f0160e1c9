import { Injectable, Logger } from '@nestjs/common';
import type { Platform } from '#contracts';
import { errorText } from '#core';
import { apnsPayload, fcmData, type OutgoingPush, type PushTransport } from '#push-transport';
import { ReadContent } from '../messages/read-content.js';
import type { Claim, DeliveryKey, DueDelivery } from './delivery.repository.js';
import type { Places } from './lane-room.js';
import { outcomeOf } from './outcome-policy.rules.js';
import { redacted } from './redacted.rules.js';
import { SendPush } from './send-push.js';
import { type Progress, SettleDelivery } from './settle-delivery.js';

/**
 * One try to deliver one notification to one device, of which the claim has just been read.
 *
 * What has been withdrawn since by the time that the connection is there is not sent: no device of a
 * replaced key is sent to.
 */
@Injectable()
export class AttemptDelivery {
  readonly #logger = new Logger(AttemptDelivery.name);

  constructor(
    private readonly readContent: ReadContent,
    private readonly sendPush: SendPush,
    private readonly settle: SettleDelivery,
  ) {}

  /**
   * Leaves its place as soon as the provider has answered: what is left to do then takes none of its room.
   * Rejects only when the ledger cannot be read or written.
   */
  execute(
    transport: PushTransport,
    key: DeliveryKey,
    claim: Claim,
    places: Places,
  ): Promise<Progress> {
    if (claim.kind === 'due') return this.#send(transport, claim, places);
    places.leave();
    return this.#passOver(key, claim);
  }

  async #passOver(key: DeliveryKey, claim: Exclude<Claim, DueDelivery>): Promise<Progress> {
    switch (claim.kind) {
      case 'ended':
        return { state: claim.state, next: null };
      case 'not_yet':
        return { state: 'pending', until: claim.until, behindForMs: claim.behindForMs };
      default:
        return this.settle.unsent({ ...key, ...claim, appId: null }, claim.kind);
    }
  }

  async #send(transport: PushTransport, due: DueDelivery, places: Places): Promise<Progress> {
    let push: OutgoingPush | null;
    try {
      const content = await this.readContent.of(due, due.content);
      push = content === null ? null : this.sendPush.compose(due, content);
    } catch (error) {
      // One that cannot be made, for whatever reason, must not hold up those that came with it.
      this.#logger.error(`Delivery ${due.notificationId}/${due.deviceId}: ${errorText(error)}`);
      return this.settle.unmade(due);
    }
    // There is nothing to say any more.
    if (push === null) return this.settle.unsent(due, 'withdrawn');
    const credential = transport.credentialOf?.(push) ?? due.platform;
    const topic = transport.foreignTopicOf?.(push) ?? null;
    const admission = this.settle.admit(due, { platform: due.platform, credential, topic });
    if (admission.kind === 'shut') return this.settle.held(due, admission);
    const answer = await this.sendPush.execute(transport, due, push);
    places.leave();
    if (answer.kind === 'withdrawn') return this.settle.withdrawn(due, admission);
    return this.settle.sent(due, admission, outcomeOf(due.platform, answer), () =>
      redacted(payloadOf(due.platform, push)),
    );
  }
}

const payloadOf = (platform: Platform, push: OutgoingPush): unknown =>
  platform === 'apns' ? apnsPayload(push) : fcmData(push);
