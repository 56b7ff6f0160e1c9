import { Injectable } from '@nestjs/common';
import { type CapabilityEvents, DeclaresEvents, type StateRequest } from '#events/declarations';
import { WebPushKeys } from '#push/providers';

/** The public key for subscriptions of Web Push in `POST /register`. `WebPushKeyChanges` adds the events of its changes. */
@Injectable()
@DeclaresEvents()
export class WebPushEvents implements CapabilityEvents {
  readonly types = [];
  readonly fetchTypes = ['realm'];

  constructor(private readonly keys: WebPushKeys) {}

  async readState({ snapshot }: StateRequest) {
    const current = await this.keys.current(snapshot);
    return { server_web_push_public_key: current?.publicKey ?? null };
  }
}
