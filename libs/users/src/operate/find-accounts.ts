import { Injectable } from '@nestjs/common';
import { isRowId } from '#contracts';
import { AccountDirectoryRepository, type FoundAccount } from './account-directory.repository.js';

/** Finds accounts by what an operator knows of them. */
@Injectable()
export class FindAccounts {
  constructor(private readonly directory: AccountDirectoryRepository) {}

  /**
   * Digits are an id, anything else is the address that signs in; of the organisation of that subdomain,
   * where one is given. An address may have an account in several organisations: ten are shown at most.
   */
  async execute(idOrEmail: string, subdomain?: string): Promise<FoundAccount[]> {
    const realm = subdomain ?? null;
    // No stored text holds it, and no statement can ask for it.
    if (idOrEmail.includes('\0') || realm?.includes('\0')) return [];
    if (!/^\d+$/.test(idOrEmail)) return this.directory.byEmail(idOrEmail.trim(), realm);
    const userId = Number(idOrEmail);
    return isRowId(userId) ? this.directory.byId(userId, realm) : [];
  }
}
