import { Injectable } from '@nestjs/common';
import { isRowId } from '#platform/contracts';
import {
  AccountDirectoryRepository,
  type DirectoryAccount,
} from './account-directory.repository.js';

/** Finds accounts for an operator. */
@Injectable()
export class AccountDirectoryService {
  constructor(private readonly directory: AccountDirectoryRepository) {}

  /**
   * The accounts with an id (digits) or a sign-in address, optionally only in the organisation of a subdomain. An
   * address can belong to accounts of several organisations; the result contains at most ten.
   */
  async find(idOrEmail: string, subdomain: string | null = null): Promise<DirectoryAccount[]> {
    // PostgreSQL's text cannot hold a NUL character, and rejects a parameter with one.
    if ([idOrEmail, subdomain].some((text) => text?.includes('\0') === true)) return [];
    if (!/^\d+$/.test(idOrEmail)) return this.directory.byEmail(idOrEmail.trim(), subdomain);
    const userId = Number(idOrEmail);
    return isRowId(userId) ? this.directory.byId(userId, subdomain) : [];
  }
}
