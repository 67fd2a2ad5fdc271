import { setTimeout as pause } from 'node:timers/promises';
import { botTokenOf, oldThread, projectId, projectOfTeam, teamId } from './tenants-store.ts';
import type { Traffic } from './traffic.ts';

/** Workspaces with old jobs: one floods the program, the Slack of one is silent, and the agent of one. */
const FLOOD = { team: 10, commandsPerSecond: 2, repliesPerSecond: 8 };
const SILENT_SLACK = { team: 11, commandsPerSecond: 1, repliesPerSecond: 1 };
const SILENT_AGENT = { team: 12, commandsPerSecond: 1, repliesPerSecond: 1 };
const OLD_THREADS = 100;
const CHANNELS = 20;

export const silence = {
  token: botTokenOf(teamId(SILENT_SLACK.team)),
  projectId: projectId(projectOfTeam(SILENT_AGENT.team)),
};

/** Goes on until it is disposed of. Slack sends an app 30,000 events an hour of a workspace at most: some eight a second. */
export function makeNoise(traffic: Traffic): AsyncDisposable {
  let isOver = false;
  let made = 0;
  const repeat = async (perSecond: number, act: (number: number) => Promise<void>) => {
    while (!isOver) {
      made += 1;
      // Where Slack is silent, some get no answer.
      await Promise.all([act(made).catch(() => {}), pause(1_000 / perSecond)]);
    }
  };
  const loops = [FLOOD, SILENT_SLACK, SILENT_AGENT].flatMap((who) => [
    repeat(who.commandsPerSecond, (number) =>
      traffic.command(who.team, `C${number % CHANNELS}`, `Describe endpoint ${number} of ${Date.now()}`),
    ),
    repeat(who.repliesPerSecond, (number) =>
      traffic.reply(who.team, oldThread(who.team, number % OLD_THREADS), `And endpoint ${number}`),
    ),
  ]);
  return {
    [Symbol.asyncDispose]: async () => {
      isOver = true;
      await Promise.all(loops);
    },
  };
}
