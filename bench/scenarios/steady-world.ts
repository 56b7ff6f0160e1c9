import { setTimeout as delay } from 'node:timers/promises';
import type { Reach } from '../load/poll-carrier.js';
import { SteadyLoad } from '../load/steady-load.js';
import {
  bringOnline,
  createRealms,
  type OnlineUser,
  type Pace,
  type RealmsPlan,
} from '../world/steady-realms.js';
import type { Bench } from './scenario.js';

/** People at their usual pace, in organisations of one size. */
export interface SteadyPlan extends RealmsPlan, Pace {
  readonly name: string;
  /** How old cursors are. */
  readonly cursorSeconds: number;
  /** One user in so many polls; all by default. The others are online without a client. */
  readonly usersPerPoller?: number;
  /** What there is to be done before the first polls, beside a sign-in of all at our gateway. */
  readonly preparationMs?: number;
}

/** Who is online. Nobody has polled yet. */
export interface SteadyPeople {
  readonly users: readonly OnlineUser[];
  /** Clients of a server. */
  readonly loadAt: (reach: Reach, clients?: Partial<Clients>) => Promise<SteadyLoad>;
  /** When the first polls are due, in UNIX milliseconds. */
  readonly startsAt: number;
  /** Resolves then. */
  readonly untilStart: () => Promise<void>;
}

export interface Clients {
  /** All who poll, by default. */
  readonly users: readonly OnlineUser[];
  /** When their first polls are due, in UNIX milliseconds: by default when those of all are. */
  readonly startsAt: number;
}

export interface SteadyWorld extends SteadyPeople {
  /** The clients of our gateway. */
  readonly ourLoad: SteadyLoad;
}

const USUAL_PREPARATION_MS = 3000;
/** So many sign in within a second, at least, on a machine that does nothing else. */
const SIGN_INS_PER_MS = 1;

/** How many entries an answer has, where refreshes go on evenly. */
export const entriesOf = ({ usersEach, cursorSeconds, refreshSeconds }: SteadyPlan): number =>
  usersEach * Math.min(1, cursorSeconds / refreshSeconds);

/** Starts our programs, and has everybody be online and signed in. */
export async function openSteadyWorld(bench: Bench, plan: SteadyPlan): Promise<SteadyWorld> {
  const { programs, progress } = bench;
  return progress.step(`${plan.name}: ${plan.realms * plan.usersEach} users`, async () => {
    await programs.start('presence');
    await programs.start('api-gateway');
    const people = await bringPeopleOnline(bench, plan);
    const ourLoad = await people.loadAt({ over: 'http', port: programs.gatewayPort });
    await ourLoad.signIn();
    return { ...people, ourLoad };
  });
}

/** Has everybody be online from a moment on that leaves time for them to sign in. */
export async function bringPeopleOnline(
  { place, world }: Bench,
  plan: SteadyPlan,
): Promise<SteadyPeople> {
  const realms = await createRealms(world, plan);
  const { pollSeconds, cursorSeconds, usersPerPoller = 1 } = plan;
  const { preparationMs = USUAL_PREPARATION_MS } = plan;
  const signIns = (plan.realms * plan.usersEach) / usersPerPoller;
  const startsAt = Date.now() + preparationMs + signIns / SIGN_INS_PER_MS;
  const users = await bringOnline(world, realms, plan, startsAt);
  const pollers = users.filter((_, index) => index % usersPerPoller === 0);
  return {
    users,
    loadAt: (reach, clients) =>
      SteadyLoad.gather(place, reach, {
        users: pollers,
        startsAt,
        ...clients,
        pollSeconds,
        cursorSeconds,
        entries: entriesOf(plan),
      }),
    startsAt,
    untilStart: () => delay(Math.max(0, startsAt - Date.now())),
  };
}

const WARM_UP = { connections: 16, seconds: 4 };

/** Has a server take as much as it can for a moment: at the pace of people its code would stay unoptimised. */
export async function warmUp(load: SteadyLoad): Promise<void> {
  await load.poll(WARM_UP.connections, { seconds: WARM_UP.seconds });
}
