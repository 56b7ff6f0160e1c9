import { Inject, Injectable } from '@nestjs/common';
import {
  ApiError,
  type Caller,
  LIMITS,
  type Limits,
  limitErrors,
  MEBIBYTE,
} from '#platform/contracts';
import { uploadErrors } from '../uploads.errors.js';
import { UploadReservationRepository } from './upload-reservation.repository.js';

/** DI token: the time without data after which an unfinished upload expires, in milliseconds. */
export const UPLOAD_IDLE_LIMIT_MS = Symbol('UploadIdleLimitMs');

/**
 * The gateway with the file of an upload removes the file and the reservation after the idle limit. A reservation that
 * is twice as old belongs to a gateway that has crashed.
 */
const LIFETIME_FACTOR = 2;
const BATCH_SIZE = 100;

/** Reserves quota for unfinished uploads, within the limits of the account. */
@Injectable()
export class UploadReservations {
  constructor(
    private readonly reservations: UploadReservationRepository,
    @Inject(LIMITS)
    private readonly limits: Pick<Limits, 'unfinishedUploads' | 'unfinishedBytes'>,
    @Inject(UPLOAD_IDLE_LIMIT_MS) private readonly idleLimitMs: number,
  ) {}

  /** Reserves quota. Rejects with `accountLimitReached` or `uploadQuotaExceeded`. */
  async reserve({ realm, userId }: Caller, id: string, sizeBytes: number): Promise<void> {
    const { unfinishedUploads, unfinishedBytes } = this.limits;
    const fault = await this.reservations.reserve(
      { id, realmId: realm.id, userId, sizeBytes, lifetimeMs: this.idleLimitMs * LIFETIME_FACTOR },
      { uploads: unfinishedUploads, bytes: unfinishedBytes },
    );
    switch (fault) {
      case null:
        return;
      case 'quota exceeded':
        throw new ApiError(uploadErrors.uploadQuotaExceeded);
      case 'too many uploads':
        throw new ApiError(limitErrors.accountLimitReached, {
          limit: unfinishedUploads,
          what: 'unfinished uploads',
        });
      case 'too many bytes':
        throw new ApiError(limitErrors.accountLimitReached, {
          limit: unfinishedBytes / MEBIBYTE,
          what: 'MiB in unfinished uploads',
        });
    }
  }

  /** Restarts the lifetime of a reservation after new data. */
  async prolong(id: string): Promise<void> {
    await this.reservations.prolong(id, this.idleLimitMs * LIFETIME_FACTOR);
  }

  /** Ends a reservation; idempotent. */
  async release(id: string): Promise<void> {
    await this.reservations.release(id);
  }

  /** Ends all expired reservations. */
  async releaseExpired(): Promise<void> {
    let released: readonly string[];
    do released = await this.reservations.releaseExpired(BATCH_SIZE);
    while (released.length === BATCH_SIZE);
  }
}
