/** The calls of the generated client that cannot join a transaction: transactions, raw SQL and writes. */
const FORBIDDEN = [
  /\$(?:transaction|executeRaw|executeRawUnsafe|queryRaw|queryRawUnsafe)\b/g,
  /\bTransactionClient\b/g,
  /\bprisma\s*\.\w+\s*\.(?:create|update|upsert|delete)\w*\(/g,
];

/** The writes and transactions of the generated client in the source, in the order of the rules. */
export const clientWritesIn = (source: string): string[] =>
  FORBIDDEN.flatMap((rule) => [...source.matchAll(rule)].map(([text]) => text));
