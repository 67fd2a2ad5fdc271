import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stdout } from 'node:process';
import { parseArgs } from 'node:util';
import { parseConfig } from '../src/app/config/config.ts';
import type { Environment } from '../src/app/config/values.ts';
import { createLogger, terminalLines } from '../src/app/operations/logger.ts';
import { StartError } from '../src/app/service/workspaces.ts';
import { createService } from '../src/app/service.ts';
import type { Host } from '../src/cli/command.ts';
import { runUntilSignal } from '../src/cli/commands/start.ts';
import { explainError } from '../src/cli/explain-error.ts';
import { systemClock } from '../src/runtime/clock.ts';
import { apiKey, codeHostToken, startAgentSide } from './agent-side.ts';
import { demoConfig, demoProjects, hookSecret } from './config-file.ts';
import { whereToGetLocalSlack } from './local-slack/find.ts';
import { startRenderingProxy } from './local-slack/rendering-proxy.ts';
import { demoWorkspace } from './local-slack/workspace.ts';
import type { LocalSlack } from './local-slack.ts';
import { moreToTry, welcome } from './welcome.ts';

/**
 * Runs the bot with a local Slack, the runner and a code host until a signal ends it. Resolves to the exit code.
 * @param slackStarting null: this machine has none
 */
export async function demo(slackStarting: Promise<LocalSlack> | null, host: Host): Promise<number> {
  try {
    return await run(slackStarting, host);
  } catch (error) {
    const explained = explainError(error, 'start');
    console.error(explained.message);
    return explained.exitCode;
  }
}

async function run(slackStarting: Promise<LocalSlack> | null, { env }: Host): Promise<number> {
  if (slackStarting === null) throw new StartError(whereToGetLocalSlack);
  await using resources = new AsyncDisposableStack();
  resources.defer(() =>
    slackStarting.then(
      (slack) => slack.stop(),
      () => {},
    ),
  );
  const { values } = parseArgs({
    options: {
      more: { type: 'boolean', default: false },
      repo: { type: 'string' },
      command: { type: 'string' },
    },
  });
  const folder = mkdtempSync(join(tmpdir(), 'docs-agent-demo-'));
  resources.defer(() => rmSync(folder, { recursive: true, force: true }));
  const destination = terminalLines(stdout);
  const log = createLogger({ level: 'warn', destination });

  const startingAgent = startAgentSide({ env, folder, log, resources, ...values });
  // If either fails, the other must be there to be ended.
  await Promise.allSettled([slackStarting, startingAgent]);
  const slack = await slackStarting.catch(explain);
  const agentSide = await startingAgent;
  const rendering = await startRenderingProxy(slack.apiUrl, demoWorkspace.channelsWithoutBot);
  resources.defer(() => rendering.close());

  const settings: Environment = {
    SLACK_BOT_TOKEN: slack.botToken,
    SLACK_APP_TOKEN: slack.appToken,
    // Shows dates and entities as Slack does: the local page does not know them.
    SLACK_API_URL: rendering.apiUrl,
    AGENT_BASE_URL: agentSide.agentUrl,
    AGENT_API_KEY: apiKey,
    AGENT_PROJECT_ID: demoProjects.docs,
    DATA_DIR: join(folder, 'data'),
    HOST: '127.0.0.1',
    PORT: '0',
    // In a demo nobody should have to wait.
    POLL_MIN_INTERVAL: '1s',
    FOLLOW_UP_WINDOW: '1s',
    STOP_TIMEOUT: '10s',
    NOTICE_CHANNELS: demoWorkspace.noticeChannel,
    PR_REMINDER_AFTER: '30s',
    GITHUB_TOKEN: codeHostToken,
    GITHUB_WEB_URL: agentSide.codeHostUrl,
    [hookSecret.name]: hookSecret.value,
    DOCS_AGENT_CONFIG: join(folder, 'docs-agent.yml'),
    LOG_LEVEL: env.LOG_LEVEL ?? 'warn',
  };
  const envFile = join(folder, 'settings.env');
  writeFileSync(
    envFile,
    Object.entries(settings)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  );
  const configFile = demoConfig(systemClock.now());
  writeFileSync(join(folder, 'docs-agent.yml'), configFile.yaml);
  const config = parseConfig(settings);
  const service = createService(config, { log: createLogger({ level: config.logLevel, destination }) });
  // Awaited here: the resources must outlive it.
  return await runUntilSignal(service, log, () => {
    console.log(welcome(slack.url, values.repo, agentSide.copy));
    if (values.more) console.log(moreToTry({ envFile, port: service.port, config: configFile }));
    agentSide.warmUp();
  });
}

function explain(error: unknown): never {
  throw new StartError(error instanceof Error ? error.message : String(error), error);
}
