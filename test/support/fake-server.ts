import { createServer, type Server, type Socket } from 'node:net';

/**
 * A TCP server that plays a peer in a test. The program under test may reset a connection at any time; such an error
 * ends the connection and fails no test.
 */
export function createFakeServer(onConnection: (socket: Socket) => void): Server {
  return createServer((socket) => {
    socket.on('error', () => undefined);
    onConnection(socket);
  });
}

/** Resolves when a connection has ended, also when its peer resets it (`once(socket, 'close')` would reject then). */
export function connectionEnd(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.on('error', () => undefined).once('close', () => resolve());
  });
}
