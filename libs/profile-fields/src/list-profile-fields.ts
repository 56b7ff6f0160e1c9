import { Injectable } from '@nestjs/common';
import type { Caller } from '#contracts';
import type { ProfileField } from './profile-field.js';
import { ProfileFieldRepository } from './profile-field.repository.js';

/** Lists the fields of the caller's organisation in the order in which they are shown. */
@Injectable()
export class ListProfileFields {
  constructor(private readonly fields: ProfileFieldRepository) {}

  async execute(caller: Caller): Promise<ProfileField[]> {
    return this.fields.list(caller.realm.id);
  }
}
