import { Injectable } from '@nestjs/common';
import type { Realm } from '#contracts';
import { NewRealmRepository } from './new-realm.repository.js';
import { isSubdomain } from './subdomain.rules.js';

/** In Unicode code points. */
const LONGEST_NAME = 40;

/** Why an organisation cannot be made. */
export type OrganisationRefusal = 'subdomain taken' | 'no subdomain' | 'no name';

/** Makes an organisation, for an operator. Nobody is in it yet. */
@Injectable()
export class CreateOrganisation {
  constructor(private readonly realms: NewRealmRepository) {}

  /**
   * Resolves with the organisation, or with why there is none: `no subdomain` for what is no label of a
   * host name in lower case, `no name` for one that is empty or longer than forty characters.
   */
  async execute(subdomain: string, name: string): Promise<Realm | OrganisationRefusal> {
    if (!isSubdomain(subdomain)) return 'no subdomain';
    const trimmed = name.trim();
    if (trimmed === '' || [...trimmed].length > LONGEST_NAME) return 'no name';
    return (await this.realms.create(subdomain, trimmed)) ?? 'subdomain taken';
  }
}
