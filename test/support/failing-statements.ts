import type { System } from './start-system.js';

/**
 * Does some work while every statement of the gateway fails after the commit of its first transaction. Needs a separate
 * gateway: `useGateway({})`.
 */
export async function failAfterCommit<Result>(
  system: System,
  work: () => Promise<Result>,
): Promise<Result> {
  await system.probe('api-gateway', 'fail after commit');
  try {
    return await work();
  } finally {
    await system.probe('api-gateway', 'heal');
  }
}
