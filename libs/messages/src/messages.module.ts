import { Module } from '@nestjs/common';

/** Messages: sending, reading, what is read. */
@Module({})
export class MessagesModule {}
