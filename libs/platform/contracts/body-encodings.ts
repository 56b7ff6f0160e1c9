/**
 * HTTP content codings in the order of preference: `br` is faster and smaller.
 */
export const bodyEncodings = ['br', 'gzip'] as const;
export type BodyEncoding = (typeof bodyEncodings)[number];
