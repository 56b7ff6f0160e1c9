import { Argument, type Command } from 'commander';
import type { Platform } from '#contracts';
import { type CommandWorld, type CommonOptions, tell } from '../command-world.js';
import { leafCommand } from '../leaf-command.js';
import { parsePlatform } from './platform.js';

const platformArgument = () =>
  new Argument('<platform>', 'apns (Apple) or fcm (Google)').argParser(parsePlatform);

/** `carillon push pause` and `carillon push resume` */
export function addPauseCommands(push: Command, world: CommandWorld): void {
  leafCommand(push, {
    usage: 'pause',
    description: 'send nothing to a platform any more, on all workers',
    remarks:
      'Notifications are accepted as before and wait, each for as long as its time to live is.\nWhat is being sent is sent. Redis keeps the pause: one that has lost its data has to be told again.',
    examples: [
      ['push pause apns', 'nothing goes to Apple from now on'],
      ['push status', 'shows what is paused, and how much waits'],
    ],
  })
    .addArgument(platformArgument())
    .action((platform: Platform, options: CommonOptions) => pause(world, platform, options));
  leafCommand(push, {
    usage: 'resume',
    description: 'send to a platform again',
    examples: [['push resume apns', 'what waited goes out, the oldest first']],
  })
    .addArgument(platformArgument())
    .action((platform: Platform, options: CommonOptions) => resume(world, platform, options));
}

async function pause(
  world: CommandWorld,
  platform: Platform,
  options: CommonOptions,
): Promise<void> {
  const { PausePlatform, PushOperatorModule } = await import('#push');
  await world.stores.withQueues([PushOperatorModule.with()], async (find) => {
    await find(PausePlatform).execute(platform);
    const text = `${platform} is paused. \`carillon push resume ${platform}\` ends it.`;
    tell(world, options, { json: { platform, is_paused: true }, text });
  });
}

async function resume(
  world: CommandWorld,
  platform: Platform,
  options: CommonOptions,
): Promise<void> {
  const { PushOperatorModule, ResumePlatform } = await import('#push');
  await world.stores.withQueues([PushOperatorModule.with()], async (find) => {
    await find(ResumePlatform).execute(platform);
    const text = `${platform} is sent to again.`;
    tell(world, options, { json: { platform, is_paused: false }, text });
  });
}
