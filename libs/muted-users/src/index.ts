export { MuteUser } from './mute-user.js';
export { MutedUsersModule } from './muted-users.module.js';
export { UnmuteUser } from './unmute-user.js';
