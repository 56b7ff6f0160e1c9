import { setTimeout as delay } from 'node:timers/promises';
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
}

export interface SteadyWorld {
  readonly users: readonly OnlineUser[];
  readonly ourLoad: SteadyLoad;
  /** Clients at a server, of all who poll by default. */
  readonly loadAt: (port: number, users?: readonly OnlineUser[]) => Promise<SteadyLoad>;
  /** When the first polls are due, in UNIX milliseconds. */
  readonly startsAt: number;
  /** Resolves then. */
  readonly untilStart: () => Promise<void>;
}

const PREPARATION_MS = 3000;
/** So many sign in within a second, at least, on a machine that does nothing else. */
const SIGN_INS_PER_MS = 1;

/** How many entries an answer has, where refreshes go on evenly. */
export const entriesOf = ({ usersEach, cursorSeconds, refreshSeconds }: SteadyPlan): number =>
  usersEach * Math.min(1, cursorSeconds / refreshSeconds);

/** Starts our programs, and has everybody be online and signed in. Nobody has polled yet. */
export async function openSteadyWorld(bench: Bench, plan: SteadyPlan): Promise<SteadyWorld> {
  const { place, programs, progress, world } = bench;
  return progress.step(`${plan.name}: ${plan.realms * plan.usersEach} users`, async () => {
    await programs.start('presence');
    await programs.start('api-gateway');
    const realms = await createRealms(world, plan);
    const { pollSeconds, cursorSeconds, usersPerPoller = 1 } = plan;
    const signIns = (plan.realms * plan.usersEach) / usersPerPoller;
    const startsAt = Date.now() + PREPARATION_MS + signIns / SIGN_INS_PER_MS;
    const users = await bringOnline(world, realms, plan, startsAt);
    const pollers = users.filter((_, index) => index % usersPerPoller === 0);
    const loadAt = (port: number, clients: readonly OnlineUser[] = pollers) =>
      SteadyLoad.gather(place, {
        port,
        users: clients,
        pollSeconds,
        cursorSeconds,
        // Who comes later has missed nothing.
        startsAt: Math.max(startsAt, Date.now()),
        entries: entriesOf(plan),
      });
    const ourLoad = await loadAt(programs.gatewayPort);
    await ourLoad.signIn();
    return {
      users,
      ourLoad,
      loadAt,
      startsAt,
      untilStart: () => delay(Math.max(0, startsAt - Date.now())),
    };
  });
}

const WARM_UP = { connections: 16, seconds: 4 };

/** Has a server take as much as it can for a moment: at the pace of people its code would stay unoptimised. */
export async function warmUp(load: SteadyLoad): Promise<void> {
  await load.poll(WARM_UP.connections, { seconds: WARM_UP.seconds });
}
