import { setTimeout as delay } from 'node:timers/promises';
import type { Reach } from '../load/poll-carrier.js';
import { gatherSteadyLoad, type SteadyLoad } from '../load/steady-load.js';
import {
  bringOnline,
  createRealms,
  type OnlineUser,
  type Pace,
  type RealmsPlan,
} from '../world/steady-realms.js';
import type { Bench } from './scenario.js';

/** Users with a normal poll rate, in organisations of one size. */
export interface SteadyPlan extends RealmsPlan, Pace {
  readonly name: string;
  /** The age of the cursors. */
  readonly cursorSeconds: number;
  /** One of this many users polls, by default all. The others are online without a client. */
  readonly usersPerPoller?: number;
}

/** The online users. None of them has polled yet. */
interface SteadyPeople {
  readonly users: readonly OnlineUser[];
  /** Creates the clients of a server. */
  readonly loadAt: (reach: Reach, clients?: Partial<Clients>) => Promise<SteadyLoad>;
  /** The scheduled time of the first polls, in UNIX milliseconds. */
  readonly startsAt: number;
  /** Resolves at `startsAt`. */
  readonly untilStart: () => Promise<void>;
}

interface Clients {
  /** By default all users who poll. */
  readonly users: readonly OnlineUser[];
  /** The scheduled time of their first polls, in UNIX milliseconds; by default that of all users. */
  readonly startsAt: number;
}

export interface SteadyWorld extends SteadyPeople {
  /** The clients of the gateway of Carillon. */
  readonly ourLoad: SteadyLoad;
}

/** The time for preparations before the first polls, in addition to the sign-in of all users at the gateway. */
const PREPARATION_MS = 3000;
/** The minimum rate of sign-ins on an idle machine. */
const SIGN_INS_PER_MS = 1;

/** The expected number of entries in a response, with evenly distributed refreshes. */
const entriesOf = ({ usersEach, cursorSeconds, refreshSeconds }: SteadyPlan): number =>
  usersEach * Math.min(1, cursorSeconds / refreshSeconds);

/** Starts the programs, and brings all users online and signs them in. */
export async function openSteadyWorld(bench: Bench, plan: SteadyPlan): Promise<SteadyWorld> {
  const { programs, progress } = bench;
  return progress.step(`${plan.name}: ${plan.realms * plan.usersEach} users`, async () => {
    await programs.start('presence');
    await programs.start('api-gateway');
    const people = await bringPeopleOnline(bench, plan);
    const ourLoad = await people.loadAt({ over: 'http', port: programs.gatewayPort });
    await ourLoad.call('signIn');
    return { ...people, ourLoad };
  });
}

/** Brings all users online; the start time leaves enough time for their sign-ins. */
export async function bringPeopleOnline(
  { place, world }: Bench,
  plan: SteadyPlan,
): Promise<SteadyPeople> {
  const realms = await createRealms(world, plan);
  const { pollSeconds, cursorSeconds, usersPerPoller = 1 } = plan;
  const signIns = (plan.realms * plan.usersEach) / usersPerPoller;
  const startsAt = Date.now() + PREPARATION_MS + signIns / SIGN_INS_PER_MS;
  const users = await bringOnline(world, realms, plan, startsAt);
  const pollers = users.filter((_, index) => index % usersPerPoller === 0);
  return {
    users,
    loadAt: (reach, clients) =>
      gatherSteadyLoad(place, reach, {
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

/** Runs a server at full load for a short time. At the normal poll rate its code would not be optimised. */
export async function warmUp(load: SteadyLoad): Promise<void> {
  await load.call('poll', WARM_UP.connections, { seconds: WARM_UP.seconds });
}
