import type { Command } from 'commander';
import { CommandFailure } from '../command-failure.js';
import { type CommandWorld, type CommonOptions, tell } from '../command-world.js';
import { leafCommand, parseWholeNumber } from '../leaf-command.js';
import { usageAnswer } from './usage.answer.js';

/** As long as usage is kept. */
const MOST_DAYS = 400;
const USUAL_DAYS = 28;

interface UsageOptions extends CommonOptions {
  readonly organisation?: string;
  readonly days: number;
}

/** `carillon usage` */
export function addUsageCommand(program: Command, world: CommandWorld): void {
  leafCommand(program, {
    usage: 'usage',
    description: 'how much organisations use their chat: who was active, and for how long together',
    remarks:
      'Somebody who does something in an app counts as active for the 15 minutes after it. Days are those of UTC.',
    examples: [
      ['usage', 'all organisations, the most active first'],
      ['usage -o acme --days 365', 'the organisation acme, with the hours of a year'],
      ["usage --json | jq '[.organisations[].active_28_days] | add'", 'active people in all'],
    ],
  })
    .option('-o, --organisation <subdomain>', "only this one; '' for the one at the root")
    .option(
      '-d, --days <days>',
      'over how many days to count the hours, with today',
      parseWholeNumber(1, MOST_DAYS),
      USUAL_DAYS,
    )
    .action((options: UsageOptions) => showUsage(world, options));
}

async function showUsage(world: CommandWorld, options: UsageOptions): Promise<void> {
  const { LookAtUsage, UsageModule } = await import('#presence');
  await world.stores.withDatabase([UsageModule], async (find) => {
    const { organisation = null, days } = options;
    const report = await find(LookAtUsage).execute(days, organisation);
    if (organisation !== null && report.organisations.length === 0) {
      throw new CommandFailure(
        'unknown_organisation',
        `There is no organisation '${organisation}'. \`carillon usage\` shows those that there are.`,
      );
    }
    tell(world, options, usageAnswer(report));
  });
}
