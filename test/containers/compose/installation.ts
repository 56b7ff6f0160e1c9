import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readContainersTestConfig } from '#platform/config';
import { ApiClient, type Credentials } from '#test/api-client';
import { sendRequest } from '#test/http-request';
import { SandboxClient } from '#test/sandbox-client';
import { addressOf } from './containers.js';
import { documentedCommands } from './documented-commands.js';
import { runShell } from '../engine.js';

export const GATEWAY = 'http://127.0.0.1:9991';
const SANDBOX = 'http://127.0.0.1:9992';
const PAGE = 'With Docker Compose';

const FOLDER = path.join(tmpdir(), 'carillon-containers');

/** The limits of usual accounts are lower than the load of these tests. */
const VARIABLES = ['USER', 'ADDRESS', 'EVENT_QUEUE'].map((name) => `RATE_LIMIT_${name}=60:100000`);

/** A person with a client. */
export interface Person {
  readonly id: number;
  readonly api: ApiClient;
}

/**
 * The installation of a test file: a clean clone in a folder of its own, set up and started by the commands of
 * docs/operations.md, with the push sandbox. There is one at a time, because it has the ports of the page.
 */
export class Installation {
  readonly sandbox = new SandboxClient(SANDBOX);

  /** Starts a new one, and removes what a test that was interrupted has left. */
  static async open(): Promise<Installation> {
    const { version } = readContainersTestConfig();
    const sut = new Installation();
    const [install = '', secrets = '', build = ''] = sut.documented('make-secrets').split('\n');
    await sut.remove();
    await runShell(`git clone --quiet . ${FOLDER}`, { title: 'A clean clone' });
    await sut.run(install);
    appendFileSync(sut.file('.env'), `${VARIABLES.join('\n')}\n`);
    // The page says so about the sandbox.
    sut.setVariable('PUSH_REPLICAS', '0');
    await sut.run(secrets);
    if (version === undefined) await sut.run(build, 'The image');
    else sut.setVariable('VERSION', version);
    await sut.run(sut.documented('--profile sandbox'), 'Starts everything, with the sandbox');
    return sut;
  }

  /** Removes its containers, volumes and files. */
  async remove(): Promise<void> {
    if (existsSync(FOLDER)) await this.compose('down --volumes --remove-orphans');
    rmSync(FOLDER, { recursive: true, force: true });
  }

  /** The commands of the page about Compose that contain a text. */
  documented(containing: string, heading = PAGE): string {
    return documentedCommands(heading, containing);
  }

  run(commands: string, title?: string): Promise<string> {
    return runShell(commands, { folder: FOLDER, ...(title !== undefined && { title }) });
  }

  /** Runs `docker compose` for all services, also those with a profile. */
  compose(words: string, title?: string): Promise<string> {
    return this.run(`docker compose --profile '*' ${words}`, title);
  }

  file(name: string): string {
    return path.join(FOLDER, name);
  }

  read(name: string): string {
    return readFileSync(this.file(name), 'utf8');
  }

  /** The address of a store for a program of the host, from a file of secrets. */
  async storeUrl(secret: string, service: 'postgres' | 'redis'): Promise<string> {
    return this.read(`secrets/${secret}`).replace(`@${service}:`, `@${await addressOf(service)}:`);
  }

  /** Sets a variable in .env. */
  setVariable(name: string, value: string): void {
    const others = this.read('.env').replaceAll(new RegExp(`^${name}=.*\n`, 'gm'), '');
    writeFileSync(this.file('.env'), `${others}${name}=${value}\n`);
  }

  /** A new account, made by the documented commands; the first one makes the organisation. */
  async addPerson(name: string): Promise<Person> {
    const [organisation = '', user = ''] = this.documented('organisation create').split('\n');
    const isNew = (await this.run(`${organisation} --json || true`)).includes('"id"');
    const email = `${name.toLowerCase()}-${randomUUID()}@example.org`;
    const words = user.replace('ada@example.org', email).replace('--name Ada', `--name ${name}`);
    const command = isNew ? words : words.replace('--role owner', '--role member');
    // The page about the command line documents this shape.
    const account = JSON.parse(await this.run(`${command} --json`)) as Credentials & { id: number };
    return { id: account.id, api: new ApiClient(GATEWAY, account) };
  }

  /** Uploads a text as a file; resolves with the path that its owner asks for an address to read it. */
  async upload({ api }: Person, text: string): Promise<string> {
    const form = new FormData();
    form.set('file', new Blob([text]), 'note.txt');
    const request = new Request('http://localhost', { method: 'POST', body: form });
    const headers = { 'content-type': request.headers.get('content-type') ?? '' };
    const body = Buffer.from(await request.arrayBuffer());
    const { status, body: answer } = await api.send('POST', '/user_uploads', { headers, body });
    if (status !== 200) throw new Error(`The upload was answered ${status}`);
    return String(answer['url']);
  }

  /** The text of an uploaded file. */
  async readFile({ api }: Person, url: string): Promise<string> {
    const { body } = await api.get(url);
    return (await sendRequest(`${GATEWAY}${String(body['url'])}`)).text;
  }

  /** A client without an account. */
  readonly visitor = new ApiClient(GATEWAY);
}
