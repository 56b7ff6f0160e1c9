import { Injectable } from '@nestjs/common';
import { ResolveEmoji } from '#emoji';
import { requestedEmoji, type StatusRequest } from './status-request.rules.js';
import type { StatusChange } from './user-status.repository.js';

/** Turns a request into the change that it comes to. */
@Injectable()
export class ResolveStatus {
  constructor(private readonly emoji: ResolveEmoji) {}

  /** Throws ApiError for an emoji without a name, and for one that there is none of. */
  async execute(realmId: number, request: StatusRequest): Promise<StatusChange> {
    const asked = requestedEmoji(request);
    const emoji = asked ? await this.emoji.execute(realmId, asked) : asked;
    return {
      ...(request.text !== undefined && { text: request.text === '' ? null : request.text }),
      ...(emoji !== undefined && { emoji }),
    };
  }
}
