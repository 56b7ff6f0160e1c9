import { Module } from '@nestjs/common';
import { CreateOrganisation } from './create-organisation.js';
import { NewRealmRepository } from './new-realm.repository.js';
import { RealmRepository } from './realm.repository.js';

/** What an operator does with organisations; needs DatabaseModule. */
@Module({
  providers: [CreateOrganisation, NewRealmRepository, RealmRepository],
  exports: [CreateOrganisation, RealmRepository],
})
export class OrganisationsModule {}
