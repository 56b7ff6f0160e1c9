import { Module } from '@nestjs/common';
import { EventAnnouncer } from './event-announcer.js';

/** Announcements of events that are not stored; needs RedisModule. */
@Module({ providers: [EventAnnouncer], exports: [EventAnnouncer] })
export class AnnouncementsModule {}
