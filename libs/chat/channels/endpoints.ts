export { ChannelsController } from './channels.controller.js';
