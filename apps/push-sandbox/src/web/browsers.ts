import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { SandboxSettings } from '../credentials/prepare-sandbox-credentials.js';
import { DeliveriesStore } from '../inbox/deliveries.store.js';
import type { Attempt } from '../inbox/delivery.js';
import { BrowserKeys } from './message-decryption.js';

const MAX_BROWSERS = 10_000;
const TOKEN_BYTES = 24;

/** A push that the service keeps for a browser that is off. */
interface KeptPush {
  readonly attempt: Attempt;
  readonly status: number;
  /** UNIX milliseconds. */
  readonly endsAt: number;
}

/** A browser with one subscription. */
export interface Browser {
  readonly keys: BrowserKeys;
  /** The VAPID key that the subscription is bound to, in base64url; null for none. */
  readonly vapidPublicKey: string | null;
  isOnline: boolean;
  /** By topic: a later push replaces one that the browser has not got. */
  kept: Map<string, KeptPush>;
}

/** Browsers that the sandbox plays: it makes their subscriptions, and reads their messages. */
@Injectable()
export class Browsers {
  readonly #browsers = new LRUCache<string, Browser>({ max: MAX_BROWSERS });
  #unnamed = 0;

  constructor(
    private readonly settings: SandboxSettings,
    private readonly deliveries: DeliveriesStore,
  ) {}

  /** A new subscription, as a page gets it from its browser. */
  add(vapidPublicKey: string | null) {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const keys = new BrowserKeys();
    this.#browsers.set(token, { keys, vapidPublicKey, isOnline: true, kept: new Map() });
    return {
      token,
      endpoint: `${this.origin}/wpush/v1/${token}`,
      p256dh: keys.point.toString('base64url'),
      auth: keys.auth.toString('base64url'),
    };
  }

  /** Undefined for an unknown subscription. */
  find(token: string): Browser | undefined {
    return this.#browsers.get(token);
  }

  /** Keeps a push for a browser that is off; `topic` is empty for none. */
  keep(browser: Browser, topic: string, push: KeptPush): void {
    this.#unnamed += 1;
    browser.kept.set(topic === '' ? `no topic ${this.#unnamed}` : topic, push);
  }

  /** Switches a browser off or on; then it gets what is kept and has not ended. False for an unknown one. */
  switch(token: string, isOnline: boolean, now: Date): boolean {
    const browser = this.find(token);
    if (browser === undefined) return false;
    browser.isOnline = isOnline;
    if (!isOnline) return true;
    const { kept } = browser;
    browser.kept = new Map();
    for (const { attempt, status, endsAt } of kept.values()) {
      const isInTime = now.getTime() < endsAt;
      const outcome = { status, reason: 'kept', shown: isInTime, expired: !isInTime, delay_ms: 0 };
      this.deliveries.record(attempt, outcome, now);
    }
    return true;
  }

  /** Of the endpoints. They have names: addresses in digits are refused. */
  get origin(): string {
    const { publicHost, webPort = 0 } = this.settings.config;
    return `https://${isIP(publicHost) === 0 ? publicHost : 'localhost'}:${webPort}`;
  }
}
