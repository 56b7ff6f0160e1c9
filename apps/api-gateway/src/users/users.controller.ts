import { Controller } from '@nestjs/common';
import type { Caller } from '#contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#edge';
import { ProfileValueRepository } from '#profile-fields';
import { CreateUser, DeactivateUser, FindUser, ListUsers, ReactivateUser, type User } from '#users';
import { userAnswer } from './user.answer.js';
import {
  createUser,
  deactivateOwnUser,
  deactivateUser,
  getOwnUser,
  getUser,
  listUsers,
  reactivateUser,
} from './users.schema.js';

@Controller()
export class UsersController {
  constructor(
    private readonly users: ListUsers,
    private readonly finder: FindUser,
    private readonly profiles: ProfileValueRepository,
    private readonly creation: CreateUser,
    private readonly deactivation: DeactivateUser,
    private readonly reactivation: ReactivateUser,
  ) {}

  @Endpoint(createUser)
  async create(
    @SignedIn() caller: Caller,
    @Parameters() { email, password, full_name }: ParametersOf<typeof createUser>,
  ) {
    const user = { email, password, fullName: full_name };
    return { user_id: await this.creation.execute(caller, user) };
  }

  @Endpoint(listUsers)
  async list(
    @SignedIn() caller: Caller,
    @Parameters() { user_ids, ...shown }: ParametersOf<typeof listUsers>,
  ) {
    const users = await this.users.execute(caller, user_ids);
    return { members: await this.#answers(caller, users, shown) };
  }

  @Endpoint(getOwnUser)
  async getOwn(@SignedIn() caller: Caller) {
    const { user, newestMessageId } = await this.finder.executeOwn(caller);
    const shown = { client_gravatar: false, include_custom_profile_fields: true };
    const [answer] = await this.#answers(caller, [user], shown);
    return { ...answer, max_message_id: newestMessageId ?? -1 };
  }

  @Endpoint(getUser)
  async get(
    @SignedIn() caller: Caller,
    @Parameters() { user_id, ...shown }: ParametersOf<typeof getUser>,
  ) {
    const found = await this.finder.execute(caller, user_id);
    const [user] = await this.#answers(caller, [found], shown);
    return { user };
  }

  @Endpoint(deactivateOwnUser)
  async deactivateOwn(@SignedIn() caller: Caller) {
    await this.deactivation.executeOwn(caller);
  }

  @Endpoint(deactivateUser)
  async deactivate(
    @SignedIn() caller: Caller,
    @Parameters() { user_id }: ParametersOf<typeof deactivateUser>,
  ) {
    await this.deactivation.execute(caller, user_id);
  }

  @Endpoint(reactivateUser)
  async reactivate(
    @SignedIn() caller: Caller,
    @Parameters() { user_id }: ParametersOf<typeof reactivateUser>,
  ) {
    await this.reactivation.execute(caller, user_id);
  }

  /** Accounts in the members of the API, with what they have filled in read at once. */
  async #answers(
    caller: Caller,
    users: readonly User[],
    shown: {
      readonly client_gravatar: boolean;
      readonly include_custom_profile_fields: boolean;
    },
  ) {
    const people = users.filter(({ isBot }) => !isBot).map(({ id }) => id);
    const wanted = {
      clientGravatar: shown.client_gravatar,
      ...(shown.include_custom_profile_fields && {
        profileData: await this.profiles.profileDataOf(people),
      }),
    };
    return users.map((user) => userAnswer(caller, user, wanted));
  }
}
