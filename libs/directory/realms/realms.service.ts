import { Injectable } from '@nestjs/common';
import type { Realm } from '#platform/contracts';
import { RealmRepository } from './realm.repository.js';
import { isSubdomain } from './subdomain.rules.js';

/** In code points. */
const LONGEST_NAME = 40;

/** The reason why an organisation cannot be created. */
export type OrganisationRefusal = 'subdomain taken' | 'no subdomain' | 'no name';

/** Organisations, for an operator. */
@Injectable()
export class RealmsService {
  constructor(private readonly realms: RealmRepository) {}

  /**
   * Creates an organisation without accounts. Resolves with the organisation or with the reason of the refusal: `no
   * subdomain` for an invalid subdomain, `no name` for an empty name or a name of more than forty characters.
   */
  async create(subdomain: string, name: string): Promise<Realm | OrganisationRefusal> {
    if (!isSubdomain(subdomain)) return 'no subdomain';
    const trimmed = name.trim();
    if (trimmed === '' || [...trimmed].length > LONGEST_NAME) return 'no name';
    return (await this.realms.create(subdomain, trimmed)) ?? 'subdomain taken';
  }
}
