import type { Command } from 'commander';
import type { RealmChange } from '#chat/channels';
import { parseJsonOrUndefined } from '#platform/core';
import { wrongUse } from '../command-failure.js';
import { type CommandContext, type CommonOptions, printAnswer } from '../command-context.js';
import { leafCommand } from '../leaf-command.js';
import type { Json } from '../output/json.js';
import { recorded } from '../stores/recorded.js';
import { findRealm } from './find-organisation.js';

/** `carillon organisation set` */
export function addSettingCommand(organisation: Command, context: CommandContext): void {
  leafCommand(organisation, {
    usage: 'set <subdomain> <setting> <value>',
    description: 'change a setting of an organisation',
    remarks:
      'A value is a text or JSON. For an unknown setting the command lists all with their values.',
    examples: [
      ['organisation set acme topics_policy disable_empty_topic', 'messages need a topic'],
      [
        'organisation set acme can_access_all_users_group role:members',
        'guests see only users who share a channel or a conversation with them',
      ],
      ['organisation set acme upload_quota_mib null', 'no quota'],
      [
        `organisation set acme domains '[{"domain": "example.org"}]'`,
        'new accounts need an address of the domain',
      ],
    ],
  }).action((subdomain: string, setting: string, value: string, options: CommonOptions) =>
    set(context, { subdomain, setting, value }, options),
  );
}

async function set(
  context: CommandContext,
  {
    subdomain,
    setting,
    value: given,
  }: { readonly subdomain: string; readonly setting: string; readonly value: string },
  options: CommonOptions,
): Promise<void> {
  const { DefaultSubscriptionsModule, RealmSettingsModule, RealmSettingsService } =
    await import('#chat/channels');
  const { GuestQueuesModule } = await import('#directory/guest-access');
  const { change, value } = await changeOf(setting, given);
  const modules = [DefaultSubscriptionsModule, GuestQueuesModule, RealmSettingsModule];
  await context.stores.withQueues(
    modules,
    async (resolve) => {
      const realm = await findRealm(resolve, subdomain);
      await recorded(resolve, async (transaction, record) => {
        await resolve(RealmSettingsService).set(transaction, realm, change);
        const details = { setting, value };
        await record({ action: 'organisation.set', target: subdomain, details });
      });
      printAnswer(context, options, {
        json: { id: realm.id, subdomain, setting, value },
        text: `${setting} of ${realm.name} is ${JSON.stringify(value)}.`,
      });
    },
    // While Redis is down, the gateways learn of the change from PostgreSQL.
    { isNeeded: false },
  );
}

/** The change, and its value as it was given. Throws for an unknown setting or a value that it cannot have. */
async function changeOf(
  name: string,
  given: string,
): Promise<{ readonly change: RealmChange; readonly value: Json }> {
  const { realmSettings } = await import('#chat/channels');
  const setting = Object.hasOwn(realmSettings, name)
    ? realmSettings[name as keyof typeof realmSettings]
    : undefined;
  if (setting === undefined) {
    const list = Object.entries(realmSettings).map(
      ([known, { allowed }]) => `  ${known}: ${allowed}`,
    );
    throw wrongUse([`There is no setting "${name}". The settings are:`, ...list].join('\n'));
  }
  for (const value of readingsOf(given)) {
    const parsed = setting.schema.safeParse(value);
    if (parsed.success) return { change: { [name]: parsed.data }, value };
  }
  throw wrongUse(`"${given}" is no value of ${name}. It is ${setting.allowed}.`);
}

/** A value may be a text as it is, or JSON. */
function readingsOf(given: string): Json[] {
  const parsed = parseJsonOrUndefined(given) as Json | undefined;
  return parsed === undefined ? [given] : [given, parsed];
}
