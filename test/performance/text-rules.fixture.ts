import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

/** An exported function of a `*.rules.ts` with a string parameter. */
export interface TextRule {
  /** The file and the function, such as `libs/directory/users/full-name.rules.ts#normalizeFullName`. */
  readonly key: string;
  /** The parameters without a default, by kind. */
  readonly parameters: readonly ParameterKind[];
}

export type Callable = (...given: unknown[]) => unknown;

type ParameterKind = 'text' | 'number' | 'other';

/** The code that serves users. Only operators give text to the command line, to the sandbox and in credentials. */
const FOLDERS = ['libs', 'apps/api-gateway', 'apps/presence', 'apps/push-worker'];
const OF_OPERATORS = 'libs/push/providers/credentials/';

/** Reads the sources, so that new rules are found without a list. */
export function textRules(): TextRule[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.rules.ts'))
      .map((name) => path.join(folder, name)),
  )
    .filter((file) => !file.startsWith(OF_OPERATORS))
    .toSorted()
    .flatMap(rulesIn);
}

function rulesIn(file: string): TextRule[] {
  const { statements } = ts.createSourceFile(
    file,
    readFileSync(file, 'utf8'),
    ts.ScriptTarget.Latest,
  );
  return statements.flatMap(exportedFunctions).flatMap(({ name, parameters }) => {
    const kinds = parameters.filter(({ initializer }) => initializer === undefined).map(kindOf);
    if (!kinds.includes('text')) return [];
    return [{ key: `${file}#${name}`, parameters: kinds }];
  });
}

function exportedFunctions(
  statement: ts.Statement,
): { readonly name: string; readonly parameters: readonly ts.ParameterDeclaration[] }[] {
  const isExported =
    ts.canHaveModifiers(statement) &&
    ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
  if (!isExported) return [];
  if (ts.isFunctionDeclaration(statement)) {
    return [{ name: statement.name?.text ?? '', parameters: [...statement.parameters] }];
  }
  if (!ts.isVariableStatement(statement)) return [];
  return statement.declarationList.declarations.flatMap(({ name, initializer }) =>
    ts.isIdentifier(name) && initializer !== undefined && ts.isArrowFunction(initializer)
      ? [{ name: name.text, parameters: [...initializer.parameters] }]
      : [],
  );
}

function kindOf({ type }: ts.ParameterDeclaration): ParameterKind {
  if (type === undefined) return 'other';
  if (type.kind === ts.SyntaxKind.NumberKeyword) return 'number';
  const types = ts.isUnionTypeNode(type) ? type.types : [type];
  return types.some(({ kind }) => kind === ts.SyntaxKind.StringKeyword) ? 'text' : 'other';
}

/** Loads a function by its key. Rules are private to their lib and loaded only for measurement. */
export async function loadRule(key: string): Promise<Callable> {
  const [file = '', name = ''] = key.split('#');
  const module: Record<string, unknown> = await import(path.resolve(file));
  const rule = module[name];
  if (typeof rule !== 'function') throw new Error(`There is no function ${key}.`);
  // The parameters are known from the source.
  return rule as Callable;
}
