import { Controller } from '@nestjs/common';
import type { Caller } from '#contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#edge';
import {
  ChangeProfileData,
  CreateProfileField,
  DeleteProfileField,
  ListProfileFields,
} from '#profile-fields';
import { profileFieldAnswer } from './profile-fields.answer.js';
import { profileFieldRequest } from './profile-fields.request.js';
import {
  changeProfileData,
  createProfileField,
  deleteProfileField,
  listProfileFields,
  removeProfileData,
} from './profile-fields.schema.js';

@Controller()
export class ProfileFieldsController {
  constructor(
    private readonly listFields: ListProfileFields,
    private readonly createField: CreateProfileField,
    private readonly deleteField: DeleteProfileField,
    private readonly changeData: ChangeProfileData,
  ) {}

  @Endpoint(listProfileFields)
  async list(@SignedIn() caller: Caller) {
    const fields = await this.listFields.execute(caller);
    return { custom_fields: fields.map(profileFieldAnswer) };
  }

  @Endpoint(createProfileField)
  async create(
    @SignedIn() caller: Caller,
    @Parameters() parameters: ParametersOf<typeof createProfileField>,
  ) {
    return { id: await this.createField.execute(caller, profileFieldRequest(parameters)) };
  }

  @Endpoint(deleteProfileField)
  async delete(
    @SignedIn() caller: Caller,
    @Parameters() { field_id }: ParametersOf<typeof deleteProfileField>,
  ) {
    await this.deleteField.execute(caller, field_id);
  }

  @Endpoint(changeProfileData)
  async change(
    @SignedIn() caller: Caller,
    @Parameters() { data }: ParametersOf<typeof changeProfileData>,
  ) {
    await this.changeData.execute(
      caller,
      data.map(({ id, value }) => ({ fieldId: id, value })),
    );
  }

  @Endpoint(removeProfileData)
  async remove(
    @SignedIn() caller: Caller,
    @Parameters() { data }: ParametersOf<typeof removeProfileData>,
  ) {
    await this.changeData.execute(
      caller,
      data.map((fieldId) => ({ fieldId, value: null })),
    );
  }
}
