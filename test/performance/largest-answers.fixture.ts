import type { Fields } from '#test/api-client';
import type { LargestState } from './largest-state.fixture.js';

/** How an endpoint is asked for the largest answer that a state allows. */
export interface LargestRequest {
  readonly path?: string;
  readonly fields?: Fields;
  /** Grows with the organisation: no limit of an account bounds its bytes. */
  readonly isOfOrganisation?: boolean;
  /** Persons may not send it. */
  readonly isByBot?: boolean;
}

type RequestOf = (state: LargestState) => LargestRequest;

const plain: RequestOf = () => ({});
const ofOrganisation: RequestOf = () => ({ isOfOrganisation: true });

const newest = { anchor: 'newest', num_before: 5000, num_after: 0 };
const inChannel = ({ channelId }: LargestState) => ({ operator: 'channel', operand: channelId });
const search = { operator: 'search', operand: 'x' };

/** By the name of an endpoint and of the request, if it has several. */
export const largestRequests: Readonly<Record<string, Readonly<Record<string, RequestOf>>>> = {
  'GET /attachments': { all: plain },
  'GET /bot_storage': { all: () => ({ isByBot: true }) },
  'GET /channel_folders': { all: plain },
  'GET /drafts': { all: plain },
  'GET /messages': {
    long: (state) => ({ fields: { ...newest, narrow: [inChannel(state)] } }),
    short: (state) => ({
      fields: { ...newest, anchor: state.longIds[0], narrow: [inChannel(state)] },
    }),
    'a search in long ones': (state) => ({
      fields: { ...newest, narrow: [inChannel(state), search] },
    }),
    'a search in short ones': (state) => ({
      fields: { ...newest, anchor: state.longIds[0], narrow: [inChannel(state), search] },
    }),
    ids: ({ longIds }) => ({ fields: { message_ids: longIds.slice(0, 30) } }),
  },
  'GET /messages/matches_narrow': {
    long: ({ longIds }) => ({ fields: { msg_ids: longIds.slice(0, 15), narrow: [search] } }),
  },
  'GET /messages/{message_id}': { edited: (state) => ({ path: `/messages/${state.editedId}` }) },
  'GET /messages/{message_id}/history': {
    edited: (state) => ({ path: `/messages/${state.editedId}/history` }),
  },
  'GET /messages/{message_id}/read_receipts': {
    edited: (state) => ({
      path: `/messages/${state.editedId}/read_receipts`,
      isOfOrganisation: true,
    }),
  },
  'GET /realm/emoji': { all: plain },
  'GET /realm/linkifiers': { all: plain },
  'GET /realm/presence': { all: ofOrganisation },
  'GET /realm/profile_fields': { all: plain },
  'GET /saved_snippets': { all: plain },
  'GET /scheduled_messages': { all: plain },
  'GET /streams': { all: plain },
  'GET /streams/{stream_id}': { one: (state) => ({ path: `/streams/${state.channelId}` }) },
  'GET /streams/{stream_id}/members': {
    all: (state) => ({ path: `/streams/${state.channelId}/members`, isOfOrganisation: true }),
  },
  'GET /user_groups': { all: plain },
  'GET /user_groups/{user_group_id}/members': {
    all: (state) => ({ path: `/user_groups/${state.groupId}/members`, isOfOrganisation: true }),
  },
  'GET /user_groups/{user_group_id}/subgroups': {
    all: (state) => ({ path: `/user_groups/${state.groupId}/subgroups`, isOfOrganisation: true }),
  },
  'GET /users': { all: ofOrganisation },
  'GET /users/me': { own: plain },
  'GET /users/me/alert_words': { all: plain },
  'GET /users/me/web_push_subscriptions': { all: plain },
  'GET /users/me/subscriptions': {
    all: () => ({ fields: { include_subscribers: true }, isOfOrganisation: true }),
  },
  'GET /users/me/{stream_id}/topics': {
    all: (state) => ({ path: `/users/me/${state.channelId}/topics` }),
  },
  'GET /users/{user_id}': { own: (state) => ({ path: `/users/${state.person.id}` }) },
  'POST /messages/flags/narrow': {
    all: (state) => ({
      fields: { ...newest, op: 'add', flag: 'starred', narrow: [inChannel(state)] },
    }),
  },
  'POST /register': {
    'without lists of the organisation': () => ({
      fields: {
        fetch_event_types: [
          'alert_words',
          'drafts',
          'message',
          'muted_users',
          'recent_private_conversations',
          'saved_snippets',
          'scheduled_messages',
          'starred_messages',
          'update_message_flags',
          'user_topic',
        ],
      },
    }),
    all: () => ({ isOfOrganisation: true }),
  },
};

/** The other endpoints, by the reason why nothing that an account stores makes their answers large. */
export const withoutLargestState: Readonly<Record<string, readonly string[]>> = {
  'A poll has at most a megabyte of events, or one (`answer.rules.spec.ts`).': ['GET /events'],
  'The answer is a picture or a file, which is sent as a stream or from memory.': [
    'GET /user_uploads/{realm_id}/{filename}',
    'GET /zulip-services/verify/{access_token}',
  ],
  'The answer has a few short values.': [
    'GET /bots/{bot_id}/api_key',
    'GET /get_stream_id',
    'GET /remotes/server/analytics/status',
    'GET /server_settings',
    'GET /streams/{stream_id}/email_address',
    'GET /thumbnail/status/{realm_id}/{filename}',
    'GET /user_groups/{user_group_id}/members/{user_id}',
    'GET /users/{user_id_or_email}/presence',
    'GET /users/{user_id}/status',
    'GET /users/{user_id}/subscriptions/{stream_id}',
  ],
  'The answer has at most as many ids as `GET /users/me/subscriptions` has channels.': [
    'GET /users/{user_id}/channels',
  ],
  'The answer of a change has ids only, or what its request has; its input is measured in `endpoints.performance-spec.ts`.':
    [
      'DELETE /attachments/{attachment_id}',
      'DELETE /bot_storage',
      'DELETE /default_streams',
      'DELETE /drafts/{draft_id}',
      'DELETE /events',
      'DELETE /messages/{message_id}',
      'DELETE /messages/{message_id}/reactions',
      'DELETE /realm/emoji/{emoji_name}',
      'DELETE /realm/filters/{filter_id}',
      'DELETE /realm/playgrounds/{playground_id}',
      'DELETE /realm/profile_fields/{field_id}',
      'DELETE /saved_snippets/{saved_snippet_id}',
      'DELETE /scheduled_messages/{scheduled_message_id}',
      'DELETE /streams/{stream_id}',
      'DELETE /users/me',
      'DELETE /users/me/alert_words',
      'DELETE /users/me/android_gcm_reg_id',
      'DELETE /users/me/apns_device_token',
      'DELETE /users/me/muted_users/{muted_user_id}',
      'DELETE /users/me/profile_data',
      'DELETE /users/me/subscriptions',
      'DELETE /users/me/web_push_subscription',
      'DELETE /users/{user_id}',
      'PATCH /channel_folders',
      'PATCH /channel_folders/{channel_folder_id}',
      'PATCH /drafts/{draft_id}',
      'PATCH /messages/{message_id}',
      'PATCH /realm',
      'PATCH /realm/filters/{filter_id}',
      'PATCH /realm/linkifiers',
      'PATCH /realm/profile_fields',
      'PATCH /saved_snippets/{saved_snippet_id}',
      'PATCH /scheduled_messages/{scheduled_message_id}',
      'PATCH /settings',
      'PATCH /streams/{stream_id}',
      'PATCH /user_groups/{user_group_id}',
      'PATCH /users/me/profile_data',
      'PATCH /users/me/subscriptions/muted_topics',
      'PATCH /users/{user_id}',
      'POST /calls/{video_provider}/create',
      'POST /calls/{video_provider}/register',
      'POST /channel_folders/create',
      'POST /channels/create',
      'POST /default_streams',
      'POST /drafts',
      'POST /fetch_api_key',
      'POST /mark_all_as_read',
      'POST /mark_stream_as_read',
      'POST /mark_topic_as_read',
      'POST /message_edit_typing/{message_id}',
      'POST /messages',
      'POST /messages/flags',
      'POST /messages/render',
      'POST /messages/{message_id}/reactions',
      'POST /messages/{message_id}/report',
      'POST /messages/{message_id}/typing',
      'POST /mobile_push/e2ee/test_notification',
      'POST /mobile_push/receipts',
      'POST /mobile_push/register',
      'POST /mobile_push/test_notification',
      'POST /realm/emoji/{emoji_name}',
      'POST /realm/filters',
      'POST /realm/playgrounds',
      'POST /realm/profile_fields',
      'POST /realm/test_welcome_bot_custom_message',
      'POST /register_client_device',
      'POST /remotes/push/e2ee/notify',
      'POST /remotes/push/e2ee/register',
      'POST /remotes/push/notify',
      'POST /remotes/push/register',
      'POST /remotes/push/test_notification',
      'POST /remotes/push/unregister',
      'POST /remotes/push/unregister/all',
      'POST /remotes/server/analytics',
      'POST /remotes/server/deactivate',
      'POST /remotes/server/register',
      'POST /remotes/server/register/transfer',
      'POST /remotes/server/register/verify_challenge',
      'POST /remove_client_device',
      'POST /saved_snippets',
      'POST /scheduled_messages',
      'POST /streams/{stream_id}/delete_topic',
      'POST /submessage',
      'POST /typing',
      'POST /user_groups/create',
      'POST /user_groups/{user_group_id}/deactivate',
      'POST /user_groups/{user_group_id}/members',
      'POST /user_groups/{user_group_id}/subgroups',
      'POST /user_topics',
      'POST /user_uploads',
      'POST /users',
      'POST /users/me/alert_words',
      'POST /users/me/android_gcm_reg_id',
      'POST /users/me/api_key/regenerate',
      'POST /users/me/apns_device_token',
      'POST /users/me/muted_users/{muted_user_id}',
      'POST /users/me/presence',
      'POST /users/me/status',
      'PATCH /users/me/subscriptions',
      'POST /users/me/subscriptions',
      'POST /users/me/subscriptions/properties',
      'POST /users/me/web_push_subscription',
      'POST /users/me/web_push_subscription/confirm',
      'POST /users/me/web_push_subscription/test_notification',
      'POST /users/{user_id}/reactivate',
      'POST /users/{user_id}/status',
      'PUT /bot_storage',
    ],
};
