export { topicName } from './topic-name.schema.js';
export { ChannelsController } from './channels.controller.js';
