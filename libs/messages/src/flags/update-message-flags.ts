import { Injectable } from '@nestjs/common';
import type { Caller } from '#contracts';
import { type FlagChange, MessageFlagRepository } from './message-flag.repository.js';

/** Marks messages as read or starred, or takes that back. */
@Injectable()
export class UpdateMessageFlags {
  constructor(private readonly flags: MessageFlagRepository) {}

  /** Resolves with those of the messages that were sent to the caller; the others are passed over. */
  async execute(caller: Caller, change: FlagChange): Promise<number[]> {
    return this.flags.change(caller.userId, change);
  }
}
