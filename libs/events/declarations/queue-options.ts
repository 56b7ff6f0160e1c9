/** The capabilities that a client may declare at its registration, by their names in the API. */
export const clientCapabilities = [
  'notification_settings_null',
  'bulk_message_deletion',
  'user_avatar_url_field_optional',
  'stream_typing_notifications',
  'user_settings_object',
  'linkifier_url_template',
  'user_list_incomplete',
  'include_deactivated_groups',
  'archived_channels',
  'empty_topic_name',
  'simplified_presence_events',
  'individual_emoji_changes',
] as const;

export type ClientCapability = (typeof clientCapabilities)[number];

/** The parameters of a registration that decide which events its queue gets, and in which form. */
export interface QueueOptions {
  /** Null for all types. */
  readonly eventTypes: readonly string[] | null;
  /** A filter for messages: pairs of a lower-case operator and an operand. */
  readonly narrow: readonly (readonly [operator: string, operand: string])[];
  /** Whether the content of messages is HTML instead of Markdown. */
  readonly applyMarkdown: boolean;
  /** Whether `avatar_url` is null for pictures that the client computes itself. */
  readonly clientGravatar: boolean;
  /** Whether presence has the modern form by user id. */
  readonly slimPresence: boolean;
  /** Whether messages of all public channels are events, not only of subscribed ones. */
  readonly allPublicStreams: boolean;
  /** Whether subscriptions have their subscribers. */
  readonly includeSubscribers: boolean | 'partial';
  readonly capabilities: readonly ClientCapability[];
}

/** Whether the client of a queue has a capability. */
export const isCapable = (options: QueueOptions, capability: ClientCapability): boolean =>
  options.capabilities.includes(capability);

/** A fan-out asks for the key of each queue several times. */
const formKeys = new WeakMap<QueueOptions, string>();

/** Equal for queues that get every event in the same form. */
export function formKeyOf(options: QueueOptions): string {
  let key = formKeys.get(options);
  if (key === undefined) {
    const { applyMarkdown, clientGravatar, slimPresence, includeSubscribers } = options;
    const flags = [applyMarkdown, clientGravatar, slimPresence, includeSubscribers];
    key = [...flags, ...options.capabilities].join();
    formKeys.set(options, key);
  }
  return key;
}
