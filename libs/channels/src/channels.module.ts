import { Module } from '@nestjs/common';
import { UserGroupsModule } from '#user-groups';
import { AccessChannel } from './access-channel.js';
import { ChannelRepository } from './channel.repository.js';

/** Channels, who may see them and who is subscribed. */
@Module({
  imports: [UserGroupsModule],
  providers: [AccessChannel, ChannelRepository],
  exports: [AccessChannel],
})
export class ChannelsModule {}
