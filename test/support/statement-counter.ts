/**
 * Loaded into a program before its own code (`node --import`): counts the statements that it sends to
 * PostgreSQL, and answers any message of the parent process with their number.
 */
import { Client } from 'pg';

let count = 0;

// A pool sends nothing but by its clients, and Prisma has a pool of ours.
Client.prototype.query = new Proxy(Client.prototype.query, {
  apply: (query, client, args) => {
    count += 1;
    return Reflect.apply(query, client, args);
  },
});

process.on('message', () => process.send?.(count));
// The channel alone is no reason for the program to go on.
process.channel?.unref();
