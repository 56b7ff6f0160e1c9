export { shownTopic, storedTopic } from '#chat/channels';
