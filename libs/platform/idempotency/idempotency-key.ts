import { z } from 'zod';
import { ApiError, parameterErrors } from '#platform/contracts';
import { header } from '#platform/http';

const MAX_LENGTH = 255;
const KEY = new RegExp(`^[\\x20-\\x7E]{1,${MAX_LENGTH}}$`);

/** The header that identifies repetitions of a request. */
export const idempotencyKey = {
  'Idempotency-Key': header(z.string().regex(KEY).optional(), {
    description: `A name of the client's own for this request, 1 to ${MAX_LENGTH} printable ASCII characters. Repeated with the same name within seven days, it is answered as before and nothing is sent again.`,
    refusal: () =>
      new ApiError(parameterErrors.invalidParameter, {
        text: `Idempotency-Key must be 1 to ${MAX_LENGTH} printable ASCII characters`,
      }),
  }),
} as const;
