import { connect, type Socket } from 'node:net';
import { once } from 'node:events';

/** Records every command that a Redis executes, with its arguments, as text. */
export class RedisMonitor {
  #recorded = '';

  private constructor(private readonly socket: Socket) {
    socket.setEncoding('latin1').on('data', (text) => {
      this.#recorded += String(text);
    });
  }

  static async start(redisUrl: string): Promise<RedisMonitor> {
    const { hostname, port, password } = new URL(redisUrl);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const monitor = new RedisMonitor(socket);
    if (password !== '') socket.write(`AUTH ${decodeURIComponent(password)}\r\n`);
    socket.write('MONITOR\r\n');
    return monitor;
  }

  get recorded(): string {
    return this.#recorded;
  }

  stop(): void {
    this.socket.destroy();
  }
}
