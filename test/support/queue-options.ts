import type { ClientCapability, QueueOptions } from '#events/declarations';

/** The options of a client with these capabilities that sends no other parameters. */
export const optionsWith = (...capabilities: ClientCapability[]): QueueOptions => ({
  eventTypes: null,
  narrow: [],
  applyMarkdown: false,
  clientGravatar: true,
  slimPresence: false,
  allPublicStreams: false,
  includeSubscribers: false,
  capabilities,
});
