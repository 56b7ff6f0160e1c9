import { Injectable, Logger } from '@nestjs/common';
import { type ServerMessage, MessageAccess, MessageSender } from '#chat/messages';
import { SystemBots, UserAccess } from '#directory/users';
import { ApiError, type Caller } from '#platform/contracts';
import { errorText, isOutage } from '#platform/core';
import { ModerationChannelRepository } from './moderation-channel.repository.js';
import {
  confirmationContent,
  reportContent,
  type ReportType,
  reportTopic,
} from './report-content.rules.js';
import { moderationErrors } from './moderation.errors.js';

/** A report of a message. */
interface ReportInput {
  readonly messageId: number;
  readonly type: ReportType;
  readonly description: string;
}

/** Reports of messages to the moderators of an organisation. */
@Injectable()
export class ModerationService {
  private readonly logger = new Logger(ModerationService.name);
  constructor(
    private readonly channels: ModerationChannelRepository,
    private readonly messageAccess: MessageAccess,
    private readonly access: UserAccess,
    private readonly systemBots: SystemBots,
    private readonly sender: MessageSender,
  ) {}

  /**
   * Reports a message to the moderators and confirms the report to the reporter. Throws, in this order,
   * `noModerationChannel`, `explanationRequired`, `invalidMessage` for a message that the caller cannot read, and
   * `messageReportNotSent`, in which case neither the report nor the confirmation has been sent.
   */
  async report(caller: Caller, { messageId, type, description }: ReportInput): Promise<void> {
    const channel = await this.channels.find(caller.realm.id);
    if (channel === null) throw new ApiError(moderationErrors.noModerationChannel);
    if (type === 'other' && description.trim() === '')
      throw new ApiError(moderationErrors.explanationRequired);
    const message = await this.messageAccess.require(caller, messageId);
    const [reporter, bot] = await Promise.all([
      this.access.requireVisible(caller, caller.userId),
      this.systemBots.notificationBot(),
    ]);
    const report = { reporter, message, type, description };
    const topic =
      channel.topicsPolicy === 'empty_topic_only' ? '' : reportTopic(message.sender.fullName);
    const from = { senderId: bot.id, onBehalfOf: caller };
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

  async #post(delivery: ServerMessage): Promise<void> {
    try {
      await this.sender.sendAsServer(delivery);
    } catch (error) {
      if (isOutage(error)) throw error;
      this.logger.warn(`A message report was not delivered: ${errorText(error)}`);
      throw new ApiError(moderationErrors.messageReportNotSent);
    }
  }

  /** Never rejects: after a failed confirmation the reporter must not repeat the report. */
  async #confirm(delivery: ServerMessage): Promise<void> {
    try {
      await this.sender.sendAsServer(delivery);
    } catch (error) {
      this.logger.warn(`A message report was not confirmed: ${errorText(error)}`);
    }
  }
}
