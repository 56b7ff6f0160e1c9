import ts from 'typescript';

/** A manifest for Kubernetes. */
export interface AnyManifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

/** The type of a manifest: an expression within a module that the compiler can find. */
export interface ManifestType {
  readonly module: string;
  readonly name: string;
}

interface Checking {
  readonly typeOf: (manifest: AnyManifest) => ManifestType;
  /** A path in the folder from which modules are found. No file is written there. */
  readonly file: string;
  /** Changes the text of a declaration file. */
  readonly adapt?: (text: string) => string;
}

const options: ts.CompilerOptions = {
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  noEmit: true,
  strict: true,
  skipLibCheck: true,
  // Of the built-in types, the manifests need only the oldest; those of browsers take seconds to read.
  lib: ['lib.es5.d.ts'],
  types: [],
};

/** The faults that the TypeScript compiler finds in manifests: wrong types, missing and unknown members. */
export function typeFaults(manifests: readonly AnyManifest[], checking: Checking): string[] {
  const { typeOf, file: name, adapt = (text) => text } = checking;
  const lines = manifests.map((manifest, index) => {
    const type = typeOf(manifest);
    const value = JSON.stringify(manifest);
    return `import type * as M${index} from '${type.module}'; export const m${index}: M${index}.${type.name} = ${value};`;
  });
  const host = ts.createCompilerHost(options);
  host.getSourceFile = (file, version) => {
    const text = file === name ? lines.join('\n') : adapt(host.readFile(file) ?? '');
    return ts.createSourceFile(file, text, version);
  };
  const found = ts.getPreEmitDiagnostics(ts.createProgram([name], options, host));
  return found.map(({ messageText, file, start = 0 }) => {
    const line = file?.getLineAndCharacterOfPosition(start).line ?? 0;
    const { kind, metadata } = manifests[line] ?? {};
    return `${kind} ${metadata?.name}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}
