/** The name of the empty topic for clients that do not support it, and in texts. A part of the contract with clients. */
export const EMPTY_TOPIC_NAME = 'general chat';
