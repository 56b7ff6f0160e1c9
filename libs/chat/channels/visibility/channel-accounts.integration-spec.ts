import { itReadsFewAccountsFor } from '#test/other-organisation';
import { ChannelAudienceRepository } from '../access/channel-audience.repository.js';
import { ChannelVisibilityRepository } from './channel-visibility.repository.js';

itReadsFewAccountsFor({
  'the audience of a private channel': (_, { channelId }, transaction) =>
    new ChannelAudienceRepository().of(transaction, channelId),
  'the audiences of the channels of a group': (_, { realmId, groupId }, transaction) =>
    new ChannelVisibilityRepository().audiencesOf(transaction, realmId, [groupId], {
      userIds: [],
      membersOf: [groupId],
    }),
});
