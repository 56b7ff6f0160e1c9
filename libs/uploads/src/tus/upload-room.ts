import { Inject, Injectable } from '@nestjs/common';
import { ApiError, type Caller, LIMITS, type Limits } from '#contracts';
import { UploadReservationRepository } from './upload-reservation.repository.js';

/** DI token: how long an unfinished upload may be silent, in milliseconds. */
export const UPLOAD_SILENCE_MS = Symbol('UploadSilenceMs');

/**
 * The gateway that has an upload's file removes both after the silence. A reservation that is still there
 * after twice that time belongs to a gateway that is gone.
 */
const SILENCES_KEPT = 2;
const MEBIBYTE = 1_048_576;
const AT_ONCE = 100;

/** The room that unfinished uploads take: of the organisation's quota, and of what an account may have. */
@Injectable()
export class UploadRoom {
  constructor(
    private readonly reservations: UploadReservationRepository,
    @Inject(LIMITS)
    private readonly limits: Pick<Limits, 'unfinishedUploads' | 'unfinishedBytes'>,
    @Inject(UPLOAD_SILENCE_MS) private readonly silenceMs: number,
  ) {}

  /** Rejects with `accountLimitReached` or `uploadQuotaExceeded` when there is none. */
  async reserve({ realm, userId }: Caller, id: string, sizeBytes: number): Promise<void> {
    const { unfinishedUploads, unfinishedBytes } = this.limits;
    const fault = await this.reservations.reserve(
      { id, realmId: realm.id, userId, sizeBytes, silenceMs: this.silenceMs * SILENCES_KEPT },
      { uploads: unfinishedUploads, bytes: unfinishedBytes },
    );
    switch (fault) {
      case null:
        return;
      case 'no room':
        throw new ApiError('uploadQuotaExceeded');
      case 'too many uploads':
        throw new ApiError('accountLimitReached', {
          limit: unfinishedUploads,
          what: 'unfinished uploads',
        });
      case 'too many bytes':
        throw new ApiError('accountLimitReached', {
          limit: unfinishedBytes / MEBIBYTE,
          what: 'MiB in unfinished uploads',
        });
    }
  }

  /** Something of the upload has come. */
  async prolong(id: string): Promise<void> {
    await this.reservations.prolong(id, this.silenceMs * SILENCES_KEPT);
  }

  /** The upload is over. May be repeated. */
  async release(id: string): Promise<void> {
    await this.reservations.release(id);
  }

  /** Gives back the room of uploads that were silent for too long. */
  async releaseExpired(): Promise<void> {
    let released: readonly string[];
    do released = await this.reservations.releaseExpired(AT_ONCE);
    while (released.length === AT_ONCE);
  }
}
