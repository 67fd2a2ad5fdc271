import type { Config } from '../../../app/config/config.ts';
import { agentFindings, askAgent, pauseFindings, writingFindings } from './agent.ts';
import { codeHostFindings } from './code-hosts.ts';
import type { Finding, Given, Tools } from './finding.ts';
import { clockFindings, listeningFindings } from './machine.ts';
import { settingsFindings } from './settings.ts';
import { connectionFinding, otherProgramFindings } from './slack.ts';
import { lookAtStore, storeFailure, storeFindings } from './store.ts';
import { askSlack, workspaceFindings } from './workspaces.ts';

/** What more than one check needs to know: found out once. */
interface Facts {
  readonly store: Awaited<ReturnType<typeof lookAtStore>>;
  readonly slack: Awaited<ReturnType<typeof askSlack>>;
  readonly agent: Awaited<ReturnType<typeof askAgent>>;
}

interface Check {
  readonly name: string;
  readonly needs: readonly (keyof Facts)[];
  readonly run: (known: Given & Facts) => readonly Finding[] | Promise<readonly Finding[]>;
}

/** A check gets what it needs, and nothing else. */
function check<Need extends keyof Facts = never>(
  name: string,
  needs: readonly Need[],
  run: (known: Given & Pick<Facts, Need>) => ReturnType<Check['run']>,
): Check {
  return { name, needs, run };
}

/** In the order of the report. */
const checks: readonly Check[] = [
  check('settings', [], ({ config }) => settingsFindings(config)),
  check('store', ['store'], ({ store }) =>
    store.facts === null ? storeFailure(store.error) : storeFindings(store.facts),
  ),
  check('listening', [], ({ config, tools }) => listeningFindings(config, tools.timeoutMs)),
  check('connection', [], async (given) => [await connectionFinding(given)]),
  check('other program', ['store'], ({ store }) => otherProgramFindings(store.facts?.otherConnections ?? 0)),
  check('workspaces', ['store', 'slack'], ({ store, slack }) => workspaceFindings(slack, store.facts)),
  check('agent', ['agent'], ({ agent }) => agentFindings(agent)),
  check('writing', ['store'], ({ store, ...given }) =>
    writingFindings(given, store.facts?.agentRefusals ?? []),
  ),
  check('limits', ['store'], ({ store, ...given }) =>
    store.facts === null ? [] : pauseFindings(given, store.facts.pauses),
  ),
  check('code hosts', ['store'], ({ store, ...given }) =>
    codeHostFindings(given, store.facts?.pullRequests ?? []),
  ),
  check('clocks', ['slack', 'agent'], ({ config, slack, agent }) =>
    clockFindings(
      { slack: slack.clockAheadMs, agentApi: agent.clockAheadMs },
      config.store.kind === 'postgres',
    ),
  ),
];

/** Looks at everything that the program needs, side by side, and changes nothing. */
export async function examine(config: Config, tools: Tools): Promise<Finding[]> {
  const given = { config, tools };
  const store = lookAtStore(given);
  const facts = { store, slack: store.then(({ facts }) => askSlack(given, facts)), agent: askAgent(given) };
  const findings = checks.map(async ({ needs, run }) => {
    const known = await Promise.all(needs.map(async (need) => [need, await facts[need]] as const));
    return run({ ...given, ...(Object.fromEntries(known) as unknown as Facts) });
  });
  return (await Promise.all(findings)).flat();
}
