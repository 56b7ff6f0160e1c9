import { Injectable } from '@nestjs/common';
import { ApiError, type Caller } from '#contracts';
import { ProfileFieldRepository } from './profile-field.repository.js';

/** Deletes a field of the caller's organisation, with everything that has been filled in. */
@Injectable()
export class DeleteProfileField {
  constructor(private readonly fields: ProfileFieldRepository) {}

  /** Rejects with `profileFieldNotFound` when there is none. */
  async execute(caller: Caller, fieldId: number): Promise<void> {
    if (!(await this.fields.delete(caller.realm.id, fieldId))) {
      throw new ApiError('profileFieldNotFound', { id: fieldId });
    }
  }
}
