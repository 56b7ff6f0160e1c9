import { statfs } from 'node:fs/promises';
import type { Command } from 'commander';
import {
  ConfigError,
  readApiGatewayConfig,
  readPushWorkerConfig,
  unknownVariables,
} from '#platform/config';
import { errorText } from '#platform/core';
import { type CommandWorld, type CommonOptions, printAnswer } from '../command-world.js';
import { leafCommand } from '../leaf-command.js';
import { explainFailure } from '../stores/explain-failure.js';
import type { Stores } from '../stores/stores.js';
import { doctorAnswer } from './doctor.answer.js';
import {
  alertFindings,
  credentialFindings,
  diskFindings,
  type Finding,
  migrationFindings,
  postgresqlFindings,
  problem,
  redisFindings,
} from './findings.js';

/** `carillon doctor` */
export function addDoctorCommand(program: Command, world: CommandWorld): void {
  leafCommand(program, {
    usage: 'doctor',
    description: 'check the installation, and say what to do about each problem',
    remarks:
      'Checks the stores, their versions, clocks and settings, the migrations, the queues, the workers and, with the\nvariables of a gateway or a push worker, the disk of the uploads and the credentials of Apple and Google.\nThose with ! are problems; those with - are not yet. The exit code is 1 if there is a problem.',
    examples: [['doctor', 'after an installation, an upgrade, or when something is odd']],
  }).action(async (options: CommonOptions) => {
    const { stores } = world;
    // The log of the connections would mix with the output of the command.
    const { Logger } = await import('@nestjs/common');
    Logger.overrideLogger(false);
    const parts = [checkVariables(stores), checkPostgresql(stores), checkRedis(stores)];
    const more = [checkNotifications(stores), checkCredentials(stores), checkDisk(stores)];
    const findings = await Promise.all([...parts, ...more]);
    printAnswer(world, options, doctorAnswer(findings.flat()));
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

async function checkRedis(stores: Stores): Promise<Finding[]> {
  const { readRedisFacts } = await import('#platform/redis');
  try {
    const url = stores.connections.redisUrl;
    const { answer: facts, offsetMs } = await clocked(() => readRedisFacts(url));
    return redisFindings(facts, offsetMs);
  } catch (error) {
    return [problem('Redis', errorText(error), 'Check REDIS_URL, and that Redis runs.')];
  }
}

async function checkNotifications(stores: Stores): Promise<Finding[]> {
  const { PipelineStatusModule, PipelineStatusService } = await import('#push/admin');
  try {
    const { redisUrl } = stores.connections;
    const modules = [PipelineStatusModule.with({ redisUrl, prefix: stores.queuePrefix })];
    return await stores.withQueues(
      modules,
      async (resolve) => alertFindings((await resolve(PipelineStatusService).read()).alerts),
      { isNeeded: false },
    );
  } catch (error) {
    return [failed('Notifications', error, stores)];
  }
}

/** Credentials are checked where the variables of a push worker are set. */
async function checkCredentials({ environment }: Stores): Promise<Finding[]> {
  const config = configured(() => readPushWorkerConfig(environment));
  if (config === null) return [];
  const { apns, fcm } = config;
  const { expiriesOf, readApnsApps, readServiceAccount } = await import('#push/providers');
  const found: Finding[] = [];
  const advice = 'Correct the file or its variable.';
  if (apns.signIn !== null || apns.appsFile !== null) {
    const part = 'Credentials of Apple';
    const expiries = readApnsApps(apns).then(expiriesOf);
    found.push(
      ...(await expiries.then(
        (all) => credentialFindings(part, all, Date.now()),
        (error: unknown) => [problem(part, errorText(error), advice)],
      )),
    );
  }
  if (fcm.serviceAccountFile !== undefined) {
    const part = 'Credentials of Google';
    found.push(
      ...(await readServiceAccount(fcm.serviceAccountFile).then(
        () => credentialFindings(part, [], Date.now()),
        (error: unknown) => [problem(part, errorText(error), advice)],
      )),
    );
  }
  return found;
}

/** The disk is checked where the variables of a gateway are set. */
async function checkDisk({ environment }: Stores): Promise<Finding[]> {
  const config = configured(() => readApiGatewayConfig(environment));
  if (config === null) return [];
  const { folder, leastFreeMib } = config.uploads;
  const part = `Uploads in ${folder}`;
  return statfs(folder).then(
    ({ bavail, bsize }) => diskFindings(part, bavail * bsize, leastFreeMib),
    (error: unknown) => [problem(part, errorText(error), 'Check UPLOADS_DIR.')],
  );
}

/** A configuration, or null where its variables are not set. */
function configured<Config>(read: () => Config): Config | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof ConfigError) return null;
    throw error;
  }
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
