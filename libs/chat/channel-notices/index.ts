export { ChannelNoticesModule } from './channel-notices.module.js';
