export { AnnouncementsModule } from './announcements.module.js';
export { type AnnouncedEvent, ANNOUNCEMENTS_CHANNEL, EventAnnouncer } from './event-announcer.js';
