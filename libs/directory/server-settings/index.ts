export { PUSH_AVAILABILITY, type PushAvailability, type RealmPush } from './push-availability.js';
