import { RecordingTerminal } from '#test/recording-terminal';
import { runCommandLine } from '../../apps/cli/src/run-command-line.js';
import { type Choice, owner } from './law-values.fixture.js';
import type { LawWorld } from './law-world.fixture.js';

const roleNames = ['moderator', 'member', 'guest'];

/** The arguments of the commands of operators that change the state of clients, by name. */
export const commands: Readonly<Record<string, (choice: Choice) => readonly string[]>> = {
  'carillon user create': ({ world, random }) => {
    const options = ['-o', world.subdomain, '--role', random.pick(roleNames)];
    return ['user', 'create', newAddress(world), '-n', world.unique('Operated'), ...options];
  },
  'carillon bot create': ({ world }) => {
    const options = ['--owner', String(owner(world).person.id)];
    return ['bot', 'create', newAddress(world), '-n', world.unique('Operated bot'), ...options];
  },
  'carillon organisation require-encryption': ({ world, random }) => {
    const setting = random.pick(['on', 'off']);
    return ['organisation', 'require-encryption', world.subdomain, setting];
  },
};

const newAddress = (world: LawWorld): string =>
  `${world.unique('operated').replace(' ', '')}@chat.test`;

/** Runs a command in the process of the test; resolves with the exit code and the output. */
export async function runCommand(
  { system }: LawWorld,
  args: readonly string[],
): Promise<{ readonly exitCode: number; readonly text: string }> {
  const terminal = new RecordingTerminal();
  const environment = system.environmentOf('api-gateway');
  const exitCode = await runCommandLine(args, terminal, { environment });
  return { exitCode, text: `${terminal.output} ${terminal.remarks}` };
}
