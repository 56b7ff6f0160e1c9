import { randomBytes } from 'node:crypto';
import { expect } from '@jest/globals';
import { runCommandLine } from '../../apps/cli/src/run-command-line.js';
import { RecordingTerminal } from '../support/recording-terminal.js';
import { testRedisUrl } from '../support/test-stores.js';
import type { OperatedWorld, WorldDevice } from './push-operate.world.js';

/** The command line in the test's own process, on the stores of a world. */
export class CommandLine {
  /** The secret that API keys are stored under. */
  readonly secret = randomBytes(32);

  constructor(private readonly world: OperatedWorld) {}

  /** Blanks within single quotes do not separate. */
  async run(commandLine: string, terminal = new RecordingTerminal()) {
    const words = commandLine.matchAll(/'([^']*)'|(\S+)/g);
    const args = [...words].map(([, quoted, bare]) => quoted ?? bare ?? '');
    const exitCode = await runCommandLine(args, terminal, {
      environment: {
        DATABASE_URL: this.world.databaseUrl,
        REDIS_URL: testRedisUrl(),
        EXTERNAL_URL: 'https://chat.example.org',
        API_KEY_SECRET: this.secret.toString('base64'),
      },
      queuePrefix: this.world.prefix,
    });
    return { exitCode, output: terminal.output, remarks: terminal.remarks };
  }

  /** The answer of a command that has done what it should. */
  async json(commandLine: string): Promise<unknown> {
    const { exitCode, output, remarks } = await this.run(`${commandLine} --json`);
    expect({ exitCode, remarks }).toEqual({ exitCode: 0, remarks: '' });
    return JSON.parse(output);
  }

  /** What a command says that failed, in the form for scripts. */
  async failure(commandLine: string): Promise<unknown> {
    const { exitCode, output, remarks } = await this.run(`${commandLine} --json`);
    expect({ exitCode, output }).toEqual({ exitCode: 1, output: '' });
    return (JSON.parse(remarks) as { error: unknown }).error;
  }
}

/** Ada, whom operators ask about, and her iPhone. */
export interface Ada {
  readonly id: number;
  readonly phone: WorldDevice;
  /** As every command shows her to scripts. */
  readonly json: Readonly<Record<string, unknown>>;
}

export async function addAda(world: OperatedWorld): Promise<Ada> {
  const { id, email, fullName } = await world.addPerson('ada@example.org');
  const phone = await world.addDevice(id, 'apns');
  const json = { id, full_name: fullName, email, is_active: true, organisation: 'chat' };
  return { id, phone, json };
}
