/**
 * The headers that let pages of any origin call the API (CORS). A page cannot act for another user: the API knows no
 * cookies, only `Authorization`.
 *
 * The CORS plugin of Fastify adds the last two headers to preflight requests only, and none to errors before routing.
 */
export const crossOriginHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, Idempotency-Key',
  'Access-Control-Allow-Methods': 'GET, POST, DELETE, PUT, PATCH, HEAD',
} as const;
