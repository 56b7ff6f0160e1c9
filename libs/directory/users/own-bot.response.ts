/** A bot in the format for its owner. Bots have no settings of their own: these are the values of a bot without any. */
export const toOwnBot = (userId: number) => ({
  user_id: userId,
  default_sending_stream: null,
  default_events_register_stream: null,
  default_all_public_streams: false,
  services: [],
});
