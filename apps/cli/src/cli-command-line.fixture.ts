import { randomBytes } from 'node:crypto';
import { expect } from '@jest/globals';
import { runCommandLine } from './run-command-line.js';
import { RecordingTerminal } from '#test/recording-terminal';
import { testRedisUrl } from '#test/test-stores';
import type { OperatedWorld, WorldDevice } from '#test/push-operate-world';

/** Runs command lines in the process of the test, on the stores of a test world. */
export class CommandLine {
  /** The secret that encrypts API keys. */
  readonly secret = randomBytes(32);

  constructor(
    private readonly world: OperatedWorld,
    private readonly redisUrl = testRedisUrl(),
  ) {}

  /** A space within single quotes does not separate arguments. */
  async run(commandLine: string, terminal = new RecordingTerminal()) {
    const words = commandLine.matchAll(/'([^']*)'|(\S+)/g);
    const args = [...words].map(([, quoted, bare]) => quoted ?? bare ?? '');
    const exitCode = await runCommandLine(args, terminal, {
      environment: {
        DATABASE_URL: this.world.databaseUrl,
        REDIS_URL: this.redisUrl,
        EXTERNAL_URL: 'https://chat.example.org',
        API_KEY_SECRET: this.secret.toString('base64'),
        PUSH_KEY_SECRET: this.secret.toString('base64'),
      },
      queuePrefix: this.world.prefix,
    });
    return { exitCode, output: terminal.output, remarks: terminal.remarks };
  }

  /** The JSON output of a command; throws if the command fails. */
  async json(commandLine: string): Promise<unknown> {
    const { exitCode, output, remarks } = await this.run(`${commandLine} --json`);
    expect({ exitCode, remarks }).toEqual({ exitCode: 0, remarks: '' });
    return JSON.parse(output);
  }

  /** The JSON output of a failed command. */
  async failure(commandLine: string): Promise<unknown> {
    const { exitCode, output, remarks } = await this.run(`${commandLine} --json`);
    expect({ exitCode, output }).toEqual({ exitCode: 1, output: '' });
    return (JSON.parse(remarks) as { error: unknown }).error;
  }
}

/** The user of the tests, with an iPhone. */
export interface Ada {
  readonly id: number;
  readonly phone: WorldDevice;
  /** The user in the JSON output of every command. */
  readonly json: Readonly<Record<string, unknown>>;
}

export async function addAda(world: OperatedWorld): Promise<Ada> {
  const { id, email, fullName } = await world.addPerson('ada@example.org');
  const phone = await world.addDevice(id, 'apns');
  const json = { id, full_name: fullName, email, is_active: true, organisation: 'chat' };
  return { id, phone, json };
}
