/** What asked for a message to be notified. */
export type MessageTrigger =
  | { readonly kind: 'direct' | 'mention' | 'wildcard_mention' | 'channel' }
  | {
      readonly kind: 'group_mention';
      readonly group: { readonly id: number; readonly name: string };
    };

/** A message as its recipient may see it. */
export interface NotifiedMessage {
  readonly id: number;
  /** UNIX seconds. */
  readonly sentAt: number;
  /** Plain text, already cut to what a notification shows. */
  readonly text: string;
  readonly sender: {
    readonly id: number;
    readonly email: string;
    readonly fullName: string;
    readonly avatarUrl: string;
  };
  readonly place:
    | {
        readonly kind: 'channel';
        readonly channelId: number;
        readonly channelName: string;
        readonly topic: string;
      }
    /** Everyone who takes part, the recipient and the sender among them, by ascending id. */
    | {
        readonly kind: 'direct';
        readonly people: readonly { readonly id: number; readonly fullName: string }[];
      };
}

/** What a push says, with all that it takes to say it. */
export type PushContent =
  | {
      readonly kind: 'test';
      /** When it was asked for, in UNIX seconds. */
      readonly time: number;
    }
  | {
      readonly kind: 'message';
      readonly trigger: MessageTrigger;
      readonly message: NotifiedMessage;
    }
  /** These messages are to vanish from the screen. */
  | { readonly kind: 'remove'; readonly messageIds: readonly number[] };
