export { type TopicPlace, topicVisibilities } from './user-topic.repository.js';
export { UserTopicsModule } from './user-topics.module.js';
export { UserTopicsService } from './user-topics.service.js';
export { userTopicErrors } from './user-topics.errors.js';
