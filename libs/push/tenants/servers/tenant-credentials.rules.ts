import { ApiError, splitBasicAuthorization } from '#platform/contracts';
import { tenantErrors } from '../tenants.errors.js';

/** The id and the key of a server. */
interface TenantCredentials {
  readonly uuid: string;
  readonly key: string;
}

const CANONICAL_UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;
const CANONICAL_V4 = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

/** Whether a text is a UUID in its canonical form. */
export const isCanonicalUuid = (text: string): boolean => CANONICAL_UUID.test(text);

/** The same, of version 4. */
export const isCanonicalV4 = (text: string): boolean => CANONICAL_V4.test(text);

/** A UUID that a request names, if it names one. Throws ApiError for any other text. */
export function uuidIn(text: string | null | undefined): string | undefined {
  if (text === null || text === undefined) return undefined;
  if (!isCanonicalUuid(text.toLowerCase())) throw new ApiError(tenantErrors.invalidUuid);
  return text;
}

/** Parses the `Authorization` header of a server. Throws ApiError. */
export function parseTenantAuthorization(header: string | undefined): TenantCredentials {
  if (header === undefined) throw new ApiError(tenantErrors.missingServerAuthorization);
  const [uuid, key] = splitBasicAuthorization(header);
  if (uuid.includes('@')) throw new ApiError(tenantErrors.notAServerKey);
  return { uuid, key };
}
