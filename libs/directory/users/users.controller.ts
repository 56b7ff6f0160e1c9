import { Controller, Inject } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import { mapInSlices } from '#platform/core';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#platform/http';
import { UserCreationService } from './new-account/user-creation.service.js';
import { PROFILE_DATA_READER, type ProfileDataReader } from './profile-data.js';
import { UserActivationService } from './user-activation.service.js';
import { type User } from './user.repository.js';
import { toUserResponse } from './user.response.js';
import {
  createUser,
  deactivateOwnUser,
  deactivateUser,
  getOwnUser,
  getUser,
  listUsers,
  reactivateUser,
} from './users.schema.js';
import { UsersService } from './users.service.js';

@Controller()
export class UsersController {
  constructor(
    private readonly users: UsersService,
    @Inject(PROFILE_DATA_READER) private readonly profiles: ProfileDataReader,
    private readonly creation: UserCreationService,
    private readonly activation: UserActivationService,
  ) {}

  @Endpoint(createUser)
  async create(
    @SignedIn() caller: Caller,
    @Parameters() { email, password, full_name }: ParametersOf<typeof createUser>,
  ) {
    const user = { email, password, fullName: full_name };
    return { user_id: await this.creation.create(caller, user) };
  }

  @Endpoint(listUsers)
  async list(
    @SignedIn() caller: Caller,
    @Parameters() { user_ids, ...shown }: ParametersOf<typeof listUsers>,
  ) {
    const users = await this.users.list(caller, user_ids);
    return { members: await this.#toResponses(caller, users, shown) };
  }

  @Endpoint(getOwnUser)
  async getOwn(@SignedIn() caller: Caller) {
    const { user, newestMessageId } = await this.users.findOwn(caller);
    const shown = { client_gravatar: false, include_custom_profile_fields: true };
    const [response] = await this.#toResponses(caller, [user], shown);
    return { ...response, max_message_id: newestMessageId ?? -1 };
  }

  @Endpoint(getUser)
  async get(
    @SignedIn() caller: Caller,
    @Parameters() { user_id, ...shown }: ParametersOf<typeof getUser>,
  ) {
    const found = await this.users.find(caller, user_id);
    const [user] = await this.#toResponses(caller, [found], shown);
    return { user };
  }

  @Endpoint(deactivateOwnUser)
  async deactivateOwn(@SignedIn() caller: Caller) {
    await this.activation.deactivateOwn(caller);
  }

  @Endpoint(deactivateUser)
  async deactivate(
    @SignedIn() caller: Caller,
    @Parameters() { user_id, actions }: ParametersOf<typeof deactivateUser>,
  ) {
    await this.activation.deactivate(caller, user_id, {
      profile: actions.delete_profile,
      messages: {
        ofPublicChannels: actions.delete_public_channel_messages,
        ofPrivateChannels: actions.delete_private_channel_messages,
        ofConversations: actions.delete_direct_messages,
      },
    });
  }

  @Endpoint(reactivateUser)
  async reactivate(
    @SignedIn() caller: Caller,
    @Parameters() { user_id }: ParametersOf<typeof reactivateUser>,
  ) {
    await this.activation.reactivate(caller, user_id);
  }

  /** Accounts in the format of the API, with their profile data read in one statement. */
  async #toResponses(
    caller: Caller,
    users: readonly User[],
    shown: {
      readonly client_gravatar: boolean;
      readonly include_custom_profile_fields: boolean;
    },
  ) {
    const people = users.filter(({ isBot }) => !isBot).map(({ id }) => id);
    const options = {
      clientGravatar: shown.client_gravatar,
      ...(shown.include_custom_profile_fields && {
        profileData: await this.profiles.profileDataOf(people),
      }),
    };
    return mapInSlices(users, (user) => toUserResponse(caller, user, options));
  }
}
