import { type ProviderName, providerTitles } from './provider-table.rules.js';

/** The numbers that clients have for the providers, in the order in which one is chosen. */
const providerIds = { zoom: 3, webex: 8 } as const satisfies Record<ProviderName, number>;

/** Stands for no video calls. */
const disabled = { id: 0, name: 'None' } as const;

/** The providers of which clients can choose, by name, and the one that they use. */
export function offeredProviders(configured: readonly ProviderName[]): {
  readonly available: Readonly<Record<string, { readonly id: number; readonly name: string }>>;
  readonly chosenId: number;
} {
  // Object.keys loses the type of the keys.
  const names = (Object.keys(providerIds) as ProviderName[]).filter((name) =>
    configured.includes(name),
  );
  const offered = names.map((name) => [
    name,
    { id: providerIds[name], name: providerTitles[name] },
  ]);
  const [chosen] = names;
  return {
    available: { disabled, ...Object.fromEntries(offered) },
    chosenId: chosen === undefined ? disabled.id : providerIds[chosen],
  };
}
