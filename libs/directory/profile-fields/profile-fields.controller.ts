import { Controller } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#platform/http';
import type { ProfileFieldRequest } from './new-profile-field.rules.js';
import { toProfileFieldResponse } from './profile-fields.response.js';
import {
  changeProfileData,
  createProfileField,
  deleteProfileField,
  listProfileFields,
  removeProfileData,
  reorderProfileFields,
} from './profile-fields.schema.js';
import { ProfileFieldsService } from './profile-fields.service.js';

@Controller()
export class ProfileFieldsController {
  constructor(private readonly fields: ProfileFieldsService) {}

  @Endpoint(listProfileFields)
  async list(@SignedIn() caller: Caller) {
    const fields = await this.fields.list(caller);
    return { custom_fields: fields.map(toProfileFieldResponse) };
  }

  @Endpoint(reorderProfileFields)
  async reorder(
    @SignedIn() caller: Caller,
    @Parameters() { order }: ParametersOf<typeof reorderProfileFields>,
  ) {
    await this.fields.reorder(caller, order);
  }

  @Endpoint(createProfileField)
  async create(
    @SignedIn() caller: Caller,
    @Parameters() parameters: ParametersOf<typeof createProfileField>,
  ) {
    return { id: await this.fields.create(caller, toProfileFieldRequest(parameters)) };
  }

  @Endpoint(deleteProfileField)
  async delete(
    @SignedIn() caller: Caller,
    @Parameters() { field_id }: ParametersOf<typeof deleteProfileField>,
  ) {
    await this.fields.remove(caller, field_id);
  }

  @Endpoint(changeProfileData)
  async change(
    @SignedIn() caller: Caller,
    @Parameters() { data }: ParametersOf<typeof changeProfileData>,
  ) {
    await this.fields.changeData(
      caller,
      data.map(({ id, value }) => ({ fieldId: id, value })),
    );
  }

  @Endpoint(removeProfileData)
  async remove(
    @SignedIn() caller: Caller,
    @Parameters() { data }: ParametersOf<typeof removeProfileData>,
  ) {
    await this.fields.changeData(
      caller,
      data.map((fieldId) => ({ fieldId, value: null })),
    );
  }
}

const toProfileFieldRequest = (
  parameters: ParametersOf<typeof createProfileField>,
): ProfileFieldRequest => ({
  name: parameters.name,
  hint: parameters.hint,
  fieldType: parameters.field_type,
  fieldData: parameters.field_data,
  isInSummary: parameters.display_in_profile_summary,
  isRequired: parameters.required,
  isUserEditable: parameters.editable_by_user,
  isForMatching: parameters.use_for_user_matching,
});
