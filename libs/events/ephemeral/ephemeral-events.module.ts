import { Module } from '@nestjs/common';
import { EphemeralEventPublisher } from './ephemeral-event-publisher.js';

/** Publishes ephemeral events; needs RedisModule. */
@Module({ providers: [EphemeralEventPublisher], exports: [EphemeralEventPublisher] })
export class EphemeralEventsModule {}
