export { AnnouncementsModule } from './announcements.module.js';
export {
  type AnnouncedEvent,
  ANNOUNCEMENTS_CHANNEL,
  EventAnnouncer,
  parseAnnouncement,
} from './event-announcer.js';
