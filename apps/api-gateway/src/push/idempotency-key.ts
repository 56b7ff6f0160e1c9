import { z } from 'zod';
import { ApiError } from '#contracts';
import { header } from '#edge';

const LONGEST = 255;
const KEY = new RegExp(`^[\\x20-\\x7E]{1,${LONGEST}}$`);

/** The header by which an endpoint that sends something tells a repetition from another request. */
export const idempotencyKey = {
  'Idempotency-Key': header(z.string().regex(KEY).optional(), {
    description: `A name of the client's own for this request, 1 to ${LONGEST} printable ASCII characters. Repeated with the same name within seven days, it is answered as before and nothing is sent again.`,
    refusal: () =>
      new ApiError('invalidParameter', {
        text: `Idempotency-Key must be 1 to ${LONGEST} printable ASCII characters`,
      }),
  }),
} as const;
