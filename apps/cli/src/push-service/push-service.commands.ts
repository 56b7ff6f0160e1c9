import type { Command } from 'commander';
import { type CommandContext, type CommonOptions, printAnswer } from '../command-context.js';
import { leafCommand } from '../leaf-command.js';
import { changedAnswer, signInAnswer } from './push-service.answer.js';

/** `carillon push-service …` */
export function addPushServiceCommands(program: Command, context: CommandContext): void {
  const service = program
    .command('push-service')
    .description('the registration of this server at the push service of another one');
  leafCommand(service, {
    usage: 'register <hostname> <contact-email>',
    description: 'register this server, or change its host and contact address',
    remarks:
      'Needs PUSH_SERVICE_URL. Without PUSH_SERVICE_ORG_ID and PUSH_SERVICE_ORG_KEY it makes both, and shows the key once.',
    examples: [['push-service register chat.example.org ada@example.org', 'a new id and key']],
  }).action((hostname: string, contactEmail: string, options: CommonOptions) =>
    register(context, { hostname, contactEmail }, options),
  );
  leafCommand(service, {
    usage: 'transfer <hostname>',
    description: 'get another key for the registration of this host, whose key is lost',
    remarks:
      'Needs PUSH_SERVICE_URL and Redis. The push service asks a gateway at https://<hostname>. The earlier key is no longer valid.',
    examples: [['push-service transfer chat.example.org', 'the id and a new key']],
  }).action((hostname: string, options: CommonOptions) => transfer(context, hostname, options));
}

async function register(
  context: CommandContext,
  server: { readonly hostname: string; readonly contactEmail: string },
  options: CommonOptions,
): Promise<void> {
  const { makeServiceSignIn, RelayRegistration } = await import('#push/relay');
  const { url, signIn } = context.stores.pushService;
  const registration = new RelayRegistration(url, await context.stores.outboundProxy());
  const used = signIn ?? makeServiceSignIn();
  const isNew = await registration.register(used, server);
  const isShown = signIn === null || isNew;
  printAnswer(
    context,
    options,
    isShown ? signInAnswer('Registered.', used) : changedAnswer(used.orgId),
  );
}

async function transfer(
  context: CommandContext,
  hostname: string,
  options: CommonOptions,
): Promise<void> {
  const { RelayRegistration, TransferSecrets } = await import('#push/relay');
  const { url } = context.stores.pushService;
  const registration = new RelayRegistration(url, await context.stores.outboundProxy());
  await context.stores.withRedis(async (redis) => {
    const signIn = await registration.transfer(hostname, new TransferSecrets(redis));
    printAnswer(context, options, signInAnswer('Transferred.', signIn));
  });
}
