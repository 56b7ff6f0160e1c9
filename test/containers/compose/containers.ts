import { docker, PROJECT } from '../engine.js';

interface State {
  readonly Status: string;
  readonly ExitCode: number;
  readonly OOMKilled: boolean;
  readonly StartedAt: string;
  readonly Health?: { readonly Status: string };
}

interface HostConfig {
  readonly CapAdd: readonly string[] | null;
  readonly CapDrop: readonly string[] | null;
  readonly Memory: number;
  readonly PidsLimit: number;
  readonly ReadonlyRootfs: boolean;
  readonly SecurityOpt: readonly string[] | null;
  readonly Ulimits: readonly { readonly Name: string; readonly Hard: number }[];
  readonly LogConfig: { readonly Config: Readonly<Record<string, string>> };
}

/** What the engine says about a container. */
export interface Container {
  readonly Id: string;
  readonly Name: string;
  readonly RestartCount: number;
  readonly State: State;
  readonly HostConfig: HostConfig;
  readonly Config: {
    readonly Cmd: readonly string[];
    readonly Env: readonly string[];
    readonly Image: string;
    readonly Labels: Readonly<Record<string, string>>;
  };
  readonly NetworkSettings: {
    readonly Networks: Readonly<Record<string, { readonly IPAddress: string }>>;
  };
  readonly Mounts: readonly { readonly Destination: string }[];
}

export const serviceOf = ({ Config: { Labels } }: Container): string =>
  Labels['com.docker.compose.service'] ?? '';

/** The containers of the test, also those that have ended. */
export async function containers(service?: string): Promise<Container[]> {
  const label = 'label=com.docker.compose.';
  const ofService = service === undefined ? [] : ['--filter', `${label}service=${service}`];
  const filters = ['--filter', `${label}project=${PROJECT}`, ...ofService];
  const ids = (await docker('ps', '--all', '--quiet', ...filters)).split('\n').filter(Boolean);
  if (ids.length === 0) return [];
  // The engine documents this shape.
  return JSON.parse(await docker('inspect', ...ids)) as Container[];
}

/** The containers that are not one-shot commands. */
export const lastingContainers = async (): Promise<Container[]> =>
  (await containers()).filter((one) => serviceOf(one) !== 'migrate');

/**
 * The most memory that a container has used since its start, in bytes, with the files that the kernel kept in it. Needs cgroups of
 * version 1, or Linux 5.19.
 */
export async function peakMemoryOf({ Id }: Container): Promise<number> {
  const folder = '/sys/fs/cgroup';
  const read = `cat ${folder}/memory.peak 2> /dev/null || cat ${folder}/memory/memory.max_usage_in_bytes`;
  return Number(await docker('exec', Id, 'sh', '-c', read));
}

/** The address of the first container of a service in the inner network. */
export async function addressOf(service: string): Promise<string> {
  const [one] = await containers(service);
  const address = one?.NetworkSettings.Networks[`${PROJECT}_inner`]?.IPAddress;
  if (address === undefined) throw new Error(`There is no container of ${service}`);
  return address;
}
