import { HttpConnection } from './http-connection.js';

/** Repeats the work on each of several connections until it resolves with false. */
export async function inParallel(
  port: number,
  connectionCount: number,
  work: (connection: HttpConnection) => Promise<boolean>,
): Promise<void> {
  const connections = await Promise.all(
    Array.from({ length: connectionCount }, () => HttpConnection.open(port)),
  );
  try {
    await Promise.all(
      connections.map(async (connection) => {
        while (await work(connection));
      }),
    );
  } finally {
    for (const connection of connections) connection.close();
  }
}
