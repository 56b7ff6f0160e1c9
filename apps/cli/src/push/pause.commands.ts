import { Argument, type Command, InvalidArgumentError } from 'commander';
import { type Platform, platformQueue, platforms, pushLanes } from '#push/jobs';
import { type CommandContext, type CommonOptions, printAnswer } from '../command-context.js';
import { leafCommand } from '../leaf-command.js';
import type { Resolver } from '../stores/with-modules.js';

const platformArgument = () =>
  new Argument('<platform>', 'apns (Apple), fcm (Google) or web (Web Push)').argParser(
    parsePlatform,
  );

/** `carillon push pause` and `carillon push resume` */
export function addPauseCommands(push: Command, context: CommandContext): void {
  leafCommand(push, {
    usage: 'pause',
    description: 'stop sending to a platform, on all workers',
    remarks:
      'Notifications are still accepted and wait, each for its time to live at most.\nPushes in flight are completed. Redis stores the pause: repeat the command after Redis has lost its data.',
    examples: [
      ['push pause apns', 'stop sending to Apple'],
      ['push status', 'show pauses and waiting jobs'],
    ],
  })
    .addArgument(platformArgument())
    .action((platform: Platform, options: CommonOptions) =>
      setPaused(context, platform, true, options),
    );
  leafCommand(push, {
    usage: 'resume',
    description: 'resume sending to a platform',
    examples: [['push resume apns', 'send the waiting notifications, oldest first']],
  })
    .addArgument(platformArgument())
    .action((platform: Platform, options: CommonOptions) =>
      setPaused(context, platform, false, options),
    );
}

async function setPaused(
  context: CommandContext,
  platform: Platform,
  isPaused: boolean,
  options: CommonOptions,
): Promise<void> {
  const { PlatformPauses, PushOperatorModule } = await import('#push/admin');
  const work = async (resolve: Resolver) => {
    await resolve(PlatformPauses)[isPaused ? 'pause' : 'resume'](platform);
    const text = isPaused
      ? `${platform} is paused. \`carillon push resume ${platform}\` ends it.`
      : `${platform} is no longer paused.`;
    printAnswer(context, options, { json: { platform, is_paused: isPaused }, text });
  };
  await context.stores.withQueues([PushOperatorModule.with()], work, {
    queues: queuesOf(platform),
  });
}

const queuesOf = (platform: Platform) => pushLanes.map((lane) => platformQueue(platform, lane));

/** Common names of the platforms. */
const otherNames: Readonly<Record<string, Platform>> = { apple: 'apns', google: 'fcm' };

/** Parses the name of a platform. */
function parsePlatform(text: string): Platform {
  const name = text.toLowerCase();
  const platform = platforms.find((one) => one === name) ?? otherNames[name];
  if (platform !== undefined) return platform;
  throw new InvalidArgumentError(`Expected ${platforms.join(', ')}.`);
}
