import type { Phone } from '#test/phone';
import type { SandboxBrowser } from '#test/sandbox-client';
import type { Member } from './screen-member.fixture.js';

/** How the app of a phone has registered. */
type App =
  | { readonly kind: 'plain'; readonly app: Phone }
  | { readonly kind: 'encrypted'; readonly deviceId: number }
  | Subscription;

/** A subscription of Web Push. A browser gets no removals: its next message names what was read. */
export interface Subscription {
  readonly kind: 'browser' | 'unifiedpush';
  readonly browser: SandboxBrowser;
  readonly subscriptionId: number;
}

/** The end of a registration. */
interface End {
  /** UNIX seconds. */
  readonly at: number;
  /** The newest message at the end. */
  readonly newestMessage: number;
  /** Whether the key of the account was replaced: then nothing at all may be sent any more. */
  readonly isRevoked: boolean;
}

/** A phone of the law, with what the test knows about its registration. */
export class LawPhone {
  /** Null while the phone is registered. */
  end: End | null = null;
  /** The provider was told to answer that the token is dead. */
  isDead = false;

  constructor(
    readonly owner: Member,
    readonly platform: 'apns' | 'fcm' | 'web',
    readonly token: string,
    readonly app: App,
    /** Older messages may have been decided before the registration. */
    readonly registeredAfter: number,
  ) {}

  get name(): string {
    return `${this.owner.name} ${this.platform} ${this.app.kind} ${this.token.slice(0, 6)}`;
  }
}
