import path from 'node:path';
import { type Container, type Manifest, named, type Pod } from './manifests.js';

/** What a cluster has beside the manifests. */
export interface Surroundings {
  readonly manifests: readonly Manifest[];
  /** Values by secret and key. */
  readonly secrets: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** A folder with a folder for each secret, and in it a file for each key. */
  readonly secretsFolder: string;
  /** Stands for the image of the manifests. */
  readonly image: string;
  readonly network: string;
  /** Precedes the names of volumes. */
  readonly prefix: string;
}

/** The arguments of `docker run` after its name, for the container of a pod, as a cluster would run it. */
export function podArguments(pod: Pod, around: Surroundings): string[] {
  const [container] = pod.containers;
  const { runAsUser, runAsGroup, fsGroup } = pod.securityContext;
  const { allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities } =
    container.securityContext;
  const memory = bytesOf(container.resources.limits.memory);
  const [entryPoint, ...command] = container.command;
  return [
    ['--network', around.network],
    ['--user', `${runAsUser}:${runAsGroup}`, '--group-add', String(fsGroup)],
    readOnlyRootFilesystem ? ['--read-only'] : [],
    allowPrivilegeEscalation ? [] : ['--security-opt', 'no-new-privileges'],
    capabilities.drop.flatMap((name) => ['--cap-drop', name]),
    ['--memory', memory, '--memory-swap', memory],
    environmentOf(container, around).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
    mountsOf(pod, container, around),
    ['--entrypoint', entryPoint, around.image, ...command],
  ].flat();
}

/** `1Gi` as `1024m`. */
function bytesOf(quantity: string): string {
  const [, count, unit] = /^(\d+)(Mi|Gi)$/.exec(quantity) ?? [];
  if (count === undefined) throw new Error(`A quantity in Mi or Gi was expected: ${quantity}`);
  return `${Number(count) * (unit === 'Gi' ? 1024 : 1)}m`;
}

function environmentOf(
  { envFrom = [], env }: Container,
  { manifests, secrets }: Surroundings,
): [string, string][] {
  const common = envFrom.flatMap(({ configMapRef }) =>
    Object.entries(named(manifests, 'ConfigMap', configMapRef.name).data ?? {}),
  );
  const own = env.flatMap(({ name, value, valueFrom }): [string, string][] => {
    if (value !== undefined) return [[name, value]];
    const key = valueFrom?.secretKeyRef;
    const secret = key === undefined ? undefined : secrets[key.name]?.[key.key];
    if (secret !== undefined) return [[name, secret]];
    if (key?.optional === true) return [];
    throw new Error(`No value for ${name}`);
  });
  return [...common, ...own];
}

function mountsOf(
  { volumes }: Pod,
  { volumeMounts }: Container,
  { secretsFolder, prefix }: Surroundings,
): string[] {
  return volumeMounts.flatMap(({ name, mountPath, readOnly }) => {
    const volume = volumes.find((one) => one.name === name);
    const suffix = readOnly === true ? ':ro' : '';
    if (volume?.emptyDir !== undefined) return ['--tmpfs', `${mountPath}:mode=1777`];
    const { persistentVolumeClaim: claim, secret } = volume ?? {};
    if (claim !== undefined) {
      return ['--volume', `${prefix}${claim.claimName}:${mountPath}${suffix}`];
    }
    if (secret === undefined) throw new Error(`No volume for ${mountPath}`);
    return ['--volume', `${path.join(secretsFolder, secret.secretName)}:${mountPath}${suffix}`];
  });
}
