/** The size, the load and the duration of a soak test. */
export interface SoakPlan {
  readonly people: number;
  /** Registered iPhones, distributed evenly over the people. */
  readonly devices: number;
  /** Clients with an event queue and a held poll. */
  readonly clients: number;
  /** Requests a second. */
  readonly rate: number;
  readonly minutes: number;
  /** The seconds between two samples. */
  readonly sample: number;
}

const DEFAULTS: SoakPlan = {
  people: 50_000,
  devices: 1_000_000,
  clients: 500,
  rate: 100,
  minutes: 120,
  sample: 60,
};

/** Reads `--people=50000` and the like. Throws an error that names a wrong argument. */
export function soakPlanOf(args: readonly string[]): SoakPlan {
  const plan = { ...DEFAULTS };
  for (const arg of args) {
    const [, name = '', value = ''] = /^--([a-z]+)=([1-9]\d*)$/.exec(arg) ?? [];
    if (!isOption(name)) throw new Error(`${arg}: expected ${usage}`);
    plan[name] = Number(value);
  }
  if (plan.people < plan.clients) throw new Error('--people: expected at least --clients');
  if (plan.minutes * 60 < plan.sample * 6) throw new Error('--minutes: expected six samples');
  return plan;
}

const isOption = (name: string): name is keyof SoakPlan => Object.hasOwn(DEFAULTS, name);

const usage = Object.entries(DEFAULTS)
  .map(([name, value]) => `--${name}=${value}`)
  .join(', ');
