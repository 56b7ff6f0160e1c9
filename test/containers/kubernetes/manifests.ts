import { execFileSync } from 'node:child_process';
import type { AnyManifest } from '#test/manifest-types';
import { parseAllDocuments } from 'yaml';

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
  readonly periodSeconds?: number;
  readonly timeoutSeconds?: number;
  readonly failureThreshold?: number;
}

interface SecretKey {
  readonly name: string;
  readonly key: string;
  readonly optional?: boolean;
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly command: readonly [string, ...string[]];
  readonly envFrom?: readonly { readonly configMapRef: { readonly name: string } }[];
  readonly env: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: { readonly secretKeyRef: SecretKey };
  }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly resources: { readonly limits: { readonly memory: string } };
  readonly securityContext: {
    readonly allowPrivilegeEscalation: boolean;
    readonly readOnlyRootFilesystem: boolean;
    readonly capabilities: { readonly drop: readonly string[] };
  };
  readonly volumeMounts: readonly {
    readonly name: string;
    readonly mountPath: string;
    readonly readOnly?: boolean;
  }[];
}

export interface Pod {
  readonly securityContext: {
    readonly runAsUser: number;
    readonly runAsGroup: number;
    readonly fsGroup: number;
  };
  readonly terminationGracePeriodSeconds?: number;
  readonly containers: readonly [Container];
  readonly volumes: readonly {
    readonly name: string;
    readonly emptyDir?: object;
    readonly persistentVolumeClaim?: { readonly claimName: string };
    readonly secret?: { readonly secretName: string; readonly defaultMode: number };
  }[];
}

export interface Manifest extends AnyManifest {
  /** Of a ConfigMap. */
  readonly data?: Readonly<Record<string, string>>;
  readonly spec: {
    readonly replicas?: number;
    readonly minReplicas?: number;
    /** Of a Service. */
    readonly selector?: Readonly<Record<string, unknown>>;
    readonly strategy?: {
      readonly rollingUpdate: { readonly maxSurge: number; readonly maxUnavailable: number };
    };
    readonly template: { readonly spec: Pod };
  };
}

/** The manifests of a folder, as `kubectl` renders them. */
export function render(folder: string): Manifest[] {
  const text = execFileSync('kubectl', ['kustomize', folder], { encoding: 'utf8' });
  // Other tests compare them with the types of Kubernetes.
  return parseAllDocuments(text).map((document) => document.toJS() as Manifest);
}

export function named(manifests: readonly Manifest[], kind: string, name: string): Manifest {
  const found = manifests.find((one) => one.kind === kind && one.metadata.name === name);
  if (found === undefined) throw new Error(`There is no ${kind} ${name}`);
  return found;
}

/** Members with which `podArguments` or the test do something, or which a cluster alone has a use for. */
const TRANSLATED = {
  pod: new Set([
    'automountServiceAccountToken',
    'containers',
    'enableServiceLinks',
    'restartPolicy',
    'securityContext',
    'terminationGracePeriodSeconds',
    'topologySpreadConstraints',
    'volumes',
  ]),
  container: new Set([
    'command',
    'env',
    'envFrom',
    'image',
    'livenessProbe',
    'name',
    'ports',
    'readinessProbe',
    'resources',
    'securityContext',
    'startupProbe',
    'volumeMounts',
  ]),
};

/** The members of a pod that a run of the engine would leave out. */
export const untranslatedIn = (pod: Pod): string[] => [
  ...Object.keys(pod).filter((member) => !TRANSLATED.pod.has(member)),
  ...pod.containers.flatMap((one) =>
    Object.keys(one).filter((member) => !TRANSLATED.container.has(member)),
  ),
];
