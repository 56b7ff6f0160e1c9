import { Controller } from '@nestjs/common';
import { type Caller, isRowId } from '#platform/contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#platform/http';
import { MessageDeletionService } from '../deleting/message-deletion.service.js';
import { TopicDeletionService } from '../deleting/topic-deletion.service.js';
import { MessageEditService } from '../editing/message-edit.service.js';
import { toHistoryResponse } from '../history/message-history.response.js';
import { getMessageHistory, getReadReceipts } from '../history/message-history.schema.js';
import { MessageHistoryService } from '../history/message-history.service.js';
import { deleteMessage, deleteTopic, patchMessage } from './message-changes.schema.js';

@Controller()
export class MessageChangesController {
  constructor(
    private readonly edits: MessageEditService,
    private readonly deletion: MessageDeletionService,
    private readonly topics: TopicDeletionService,
    private readonly history: MessageHistoryService,
  ) {}

  @Endpoint(patchMessage)
  async edit(@SignedIn() caller: Caller, @Parameters() given: ParametersOf<typeof patchMessage>) {
    const detached = await this.edits.edit(caller, given.message_id, toEditInput(given));
    return { detached_uploads: detached };
  }

  @Endpoint(deleteMessage)
  async delete(
    @SignedIn() caller: Caller,
    @Parameters() { message_id }: ParametersOf<typeof deleteMessage>,
  ) {
    await this.deletion.delete(caller, message_id);
  }

  @Endpoint(deleteTopic)
  async deleteTopic(
    @SignedIn() caller: Caller,
    @Parameters() { stream_id: channelId, topic_name }: ParametersOf<typeof deleteTopic>,
  ) {
    return { complete: await this.topics.delete(caller, channelId, topic_name) };
  }

  @Endpoint(getMessageHistory)
  async versions(
    @SignedIn() caller: Caller,
    @Parameters() given: ParametersOf<typeof getMessageHistory>,
  ) {
    const history = await this.history.versions(caller, given.message_id);
    return {
      message_history: await toHistoryResponse(history, given.allow_empty_topic_name),
    };
  }

  @Endpoint(getReadReceipts)
  async readers(
    @SignedIn() caller: Caller,
    @Parameters() { message_id }: ParametersOf<typeof getReadReceipts>,
  ) {
    return { user_ids: await this.history.readers(caller, message_id) };
  }
}

/** An id of no channel becomes 0, the id of no row. */
const toEditInput = ({ stream_id: id, ...given }: ParametersOf<typeof patchMessage>) => ({
  content: given.content,
  topic: given.topic ?? given.subject,
  channelId: id === undefined || isRowId(id) ? id : 0,
  mode: given.propagate_mode,
  prevContentSha256: given.prev_content_sha256,
  notifiesOldThread: given.send_notification_to_old_thread,
  notifiesNewThread: given.send_notification_to_new_thread,
});
