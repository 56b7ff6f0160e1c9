import type { Command } from 'commander';
import { readCliConfig, unknownVariables } from '#platform/config';
import { errorText } from '#platform/core';
import type { RedisUse } from '#platform/redis';
import { type CommandContext, type CommonOptions, printAnswer } from '../command-context.js';
import { leafCommand } from '../leaf-command.js';
import { explainFailure } from '../stores/explain-failure.js';
import type { Stores } from '../stores/stores.js';
import { checkAddresses } from './address-check.js';
import { doctorAnswer } from './doctor.answer.js';
import {
  alertFindings,
  type Finding,
  lacksMigrations,
  migrationFindings,
  missingProgramFindings,
  postgresqlFindings,
  problem,
  programClockFindings,
  redisFindings,
  type RedisRole,
  settingFindings,
} from './findings.js';
import { checkGateway, checkPresence, checkWorker } from './program-checks.js';

/** `carillon doctor` */
export function addDoctorCommand(program: Command, context: CommandContext): void {
  leafCommand(program, {
    usage: 'doctor',
    description: 'check the installation, and say what to do about each problem',
    remarks:
      'Checks the stores, their versions, clocks and settings, the migrations, the queues, the workers, and whether each\nprogram runs and clients reach a gateway. With the variables of a program, it also asks the program on this host whether it is ready, and checks the disk of the\nuploads, the credentials of Apple and Google, and the way through the outbound proxy. Findings with ! are problems; those with - are not yet. The exit code is 1 if there is a problem.',
    examples: [['doctor', 'after an installation, an upgrade, or when something is odd']],
  }).action(async (options: CommonOptions) => {
    const { stores } = context;
    // The log of the connections would mix with the output of the command.
    const { Logger } = await import('@nestjs/common');
    Logger.overrideLogger(false);
    const { environment } = stores;
    // One after another: while modules are loaded for one check, the connections of others would time out.
    const findings = [...(await checkVariables(stores)), ...(await checkPostgresql(stores))];
    findings.push(...(await checkRedis(stores)));
    // Without the tables, the status of the notifications cannot be read.
    if (!lacksMigrations(findings)) findings.push(...(await checkNotifications(stores)));
    findings.push(...(await checkReports(stores)));
    for (const check of [checkGateway, checkPresence, checkWorker]) {
      findings.push(...(await check(environment)));
    }
    const { proxyUrl } = readCliConfig(environment);
    findings.push(...(await checkAddresses(stores.connections.externalUrl, proxyUrl)));
    printAnswer(context, options, doctorAnswer(findings));
  });
}

async function checkVariables({ environment }: Stores): Promise<Finding[]> {
  const unknown = unknownVariables(environment);
  if (unknown.length === 0) return [];
  const text = `No program reads ${unknown.join(', ')}.`;
  return [{ part: 'Variables', level: 'warning', text, advice: 'Correct the names.' }];
}

async function checkPostgresql(stores: Stores): Promise<Finding[]> {
  const { Database, SchemaCheck, ServerFactsRepository } = await import('#platform/database');
  try {
    return await stores.withDatabase([], async (resolve) => {
      const database = resolve(Database);
      const { answer: facts, offsetMs } = await clocked(() =>
        new ServerFactsRepository(database).read(),
      );
      const difference = await new SchemaCheck(database).compare();
      return [...postgresqlFindings(facts, offsetMs), ...migrationFindings(difference)];
    });
  } catch (error) {
    return [failed('PostgreSQL', error, stores)];
  }
}

/** Those of `REDIS_URL`, without the keys of presence, which may have another Redis. */
const COMMON_USE = {
  prefixes: ['carillon:', 'auth:', 'rate:', 'push:', 'push-service:'],
  channels: ['carillon:'],
};
/** A node of a cluster has only some keys. */
const QUEUE_USE = { prefixes: ['carillon:'] };

async function checkRedis({ connections }: Stores): Promise<Finding[]> {
  const findings = await checkRedisServer(() => connections.redisUrl, {
    part: 'Redis',
    variable: 'REDIS_URL',
    use: COMMON_USE,
  });
  const nodes = connections.queueRedisUrls ?? [];
  for (const [index, url] of nodes.entries()) {
    const part = nodes.length === 1 ? 'Redis of queues' : `Queue node ${index + 1}`;
    const isNode = nodes.length > 1;
    const use = isNode ? {} : QUEUE_USE;
    const server = { part, variable: 'QUEUE_REDIS_URL', mayBeReplica: isNode, use };
    findings.push(...(await checkRedisServer(() => url, server)));
  }
  return findings;
}

async function checkRedisServer(
  url: () => string,
  server: RedisRole & { readonly use: RedisUse },
): Promise<Finding[]> {
  const { readRedisFacts } = await import('#platform/redis');
  try {
    const { answer: facts, offsetMs } = await clocked(() => readRedisFacts(url(), server.use));
    return redisFindings(facts, offsetMs, server);
  } catch (error) {
    const advice = `Check ${server.variable}, and that Redis runs.`;
    return [problem(server.part, errorText(error), advice)];
  }
}

async function checkNotifications(stores: Stores): Promise<Finding[]> {
  const { PipelineStatusModule, PipelineStatusService } = await import('#push/admin');
  try {
    return await stores.withQueues(
      [PipelineStatusModule],
      async (resolve) => alertFindings((await resolve(PipelineStatusService).read()).alerts),
      { isNeeded: false },
    );
  } catch (error) {
    return [failed('Notifications', error, stores)];
  }
}

/** Checks the reports of the running programs, their settings and clocks. An outage of Redis is found elsewhere. */
async function checkReports(stores: Stores): Promise<Finding[]> {
  const settings = await import('#platform/shared-settings');
  const { differenceText, settingDifferences, SettingsReportStore, wrongClocks } = settings;
  const reports = await stores
    .withRedis((redis) => new SettingsReportStore(redis).recent(Date.now()))
    .catch(() => null);
  if (reports === null) return [];
  return [
    ...missingProgramFindings(reports.map(({ program }) => program)),
    ...settingFindings(settingDifferences(reports).map(differenceText), reports.length),
    ...programClockFindings(wrongClocks(reports)),
  ];
}

/** The answer of a server, and how far its clock is ahead of this host's. */
async function clocked<Facts extends { readonly now: Date }>(ask: () => Promise<Facts>) {
  const before = Date.now();
  const answer = await ask();
  const middle = (before + Date.now()) / 2;
  return { answer, offsetMs: answer.now.getTime() - middle };
}

function failed(part: string, error: unknown, stores: Stores): Finding {
  const { message } = explainFailure(error, () => stores.connections);
  return problem(part, message, 'Nothing else of this part was checked.');
}
