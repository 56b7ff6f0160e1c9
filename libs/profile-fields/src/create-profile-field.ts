import { Inject, Injectable } from '@nestjs/common';
import { ApiError, type Caller, LIMITS, type Limits } from '#contracts';
import { shapeOf } from './field-data.rules.js';
import { newProfileField, type ProfileFieldRequest } from './new-profile-field.rules.js';
import { ProfileFieldRepository } from './profile-field.repository.js';

/** Adds a field to the profiles of the caller's organisation. */
@Injectable()
export class CreateProfileField {
  constructor(
    private readonly fields: ProfileFieldRepository,
    @Inject(LIMITS) private readonly limits: Pick<Limits, 'profileFields'>,
  ) {}

  /** Resolves with the new field's id. Rejects with ApiError for a field that cannot be, or is there. */
  async execute(caller: Caller, request: ProfileFieldRequest): Promise<number> {
    const fieldData = shapeOf(request.fieldData);
    // A full summary is told before anything else that is wrong.
    if (request.isInSummary && (await this.fields.isSummaryFull(caller.realm.id))) {
      throw new ApiError('profileSummaryIsFull');
    }
    const limit = this.limits.profileFields;
    const field = newProfileField({ ...request, fieldData });
    const created = await this.fields.create(caller.realm.id, field, limit);
    if (created === 'list is full') {
      throw new ApiError('organizationLimitReached', { limit, what: 'custom profile fields' });
    }
    if (created === 'summary is full') throw new ApiError('profileSummaryIsFull');
    if (created === 'name is taken') throw new ApiError('profileFieldExists');
    return created;
  }
}
