import { Injectable, Logger } from '@nestjs/common';
import { ApiError, type Caller } from '#contracts';
import { errorText } from '#core';
import { AccessMessage, type Delivery, DeliverMessage } from '#messages';
import { AccessUser, SystemBots } from '#users';
import { ModerationChannelRepository } from './moderation-channel.repository.js';
import { confirmationContent, reportContent, reportTopic } from './report-content.rules.js';
import type { ReportType } from './report-types.js';

const CLIENT = 'Carillon';

/** What somebody says of a message. */
export interface WantedReport {
  readonly messageId: number;
  readonly type: ReportType;
  readonly description: string;
}

/** Tells the moderators of an organisation about a message, and the reporter that they have been told. */
@Injectable()
export class ReportMessage {
  private readonly logger = new Logger(ReportMessage.name);

  constructor(
    private readonly channels: ModerationChannelRepository,
    private readonly accessMessage: AccessMessage,
    private readonly accessUser: AccessUser,
    private readonly systemBots: SystemBots,
    private readonly deliverMessage: DeliverMessage,
  ) {}

  /**
   * Throws, in this order, `noModerationChannel`, `explanationRequired`, `invalidMessage` for a message
   * that the caller may not read, and `messageReportNotSent`, after which nobody has been told anything.
   */
  async execute(caller: Caller, { messageId, type, description }: WantedReport): Promise<void> {
    const channel = await this.channels.find(caller.realm.id);
    if (channel === null) throw new ApiError('noModerationChannel');
    if (type === 'other' && description.trim() === '') throw new ApiError('explanationRequired');
    const message = await this.accessMessage.execute(caller, messageId);
    const [reporter, bot] = await Promise.all([
      this.accessUser.execute(caller, caller.userId),
      this.systemBots.notificationBot(),
    ]);
    const report = { reporter, message, type, description };
    const topic =
      channel.topicsPolicy === 'empty_topic_only' ? '' : reportTopic(message.sender.fullName);
    const from = { senderId: bot.id, onBehalfOf: caller, client: CLIENT };
    await this.#post({
      ...from,
      place: { channelId: channel.id, topic },
      content: reportContent(report),
    });
    await this.#confirm({
      ...from,
      place: { userIds: [caller.userId] },
      content: confirmationContent(report.message, type),
    });
  }

  async #post(delivery: Delivery): Promise<void> {
    try {
      await this.deliverMessage.execute(delivery);
    } catch (error) {
      this.logger.warn(`A message report was not delivered: ${errorText(error)}`);
      throw new ApiError('messageReportNotSent');
    }
  }

  /** The moderators know by now: a confirmation that fails must not make anyone report again. */
  async #confirm(delivery: Delivery): Promise<void> {
    try {
      await this.deliverMessage.execute(delivery);
    } catch (error) {
      this.logger.warn(`A message report was not confirmed: ${errorText(error)}`);
    }
  }
}
