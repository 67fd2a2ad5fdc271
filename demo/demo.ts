import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stdout } from 'node:process';
import { parseArgs } from 'node:util';
import { parseConfig } from '../src/app/config/config.ts';
import type { Environment } from '../src/app/config/values.ts';
import { createLogger } from '../src/app/operations/logger.ts';
import { StartError } from '../src/app/service/workspaces.ts';
import { createService } from '../src/app/service.ts';
import type { Host } from '../src/cli/command.ts';
import { runUntilSignal, terminalLines } from '../src/cli/commands/start.ts';
import { explainError } from '../src/cli/explain-error.ts';
import { systemClock } from '../src/engine/runtime/clock.ts';
import { startAgentApi } from './agent-api/agent-api.ts';
import { demoScript } from './agent-api/demo-script.ts';
import { startCodeHost } from './code-host/code-host.ts';
import { DemoLife } from './code-host/demo-life.ts';
import { demoConfig, demoProjects, hookSecret } from './config-file.ts';
import { findLocalSlack, whereToGetLocalSlack } from './local-slack/find.ts';
import { startRenderingProxy } from './local-slack/rendering-proxy.ts';
import { demoWorkspace } from './local-slack/workspace.ts';
import { startLocalSlack } from './local-slack.ts';
import { moreToTry, openToTheNetwork, welcome } from './welcome.ts';

const API_KEY = 'demo-key';
const CODE_HOST_TOKEN = 'demo-token';

/** Runs the bot against a local Slack and a stand-in agent API until a signal ends it. Resolves to the exit code. */
async function demo({ env, process }: Host): Promise<number> {
  const { values } = parseArgs({ options: { more: { type: 'boolean', default: false } } });
  const binary = findLocalSlack(env);
  if (binary === null) throw new StartError(whereToGetLocalSlack);
  console.log(openToTheNetwork);
  await using resources = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'docs-agent-demo-'));
  resources.defer(() => rmSync(folder, { recursive: true, force: true }));
  const codeHost = await startCodeHost({ token: CODE_HOST_TOKEN, clock: systemClock });
  resources.defer(() => codeHost.close());
  const pullRequests = new DemoLife(codeHost, systemClock);
  let jobs = 0;
  const api = await startAgentApi({
    apiKey: API_KEY,
    projectId: demoProjects.docs,
    otherProjectIds: [demoProjects.handbook],
    clock: systemClock,
    script: demoScript,
    newJobId: () => `job_${++jobs}`,
    onCutOff: ({ id, prompts }) =>
      console.log(`  The agent took “${prompts.at(-1)}” as ${id}, but could not say so.`),
    onPullRequest: (prLink, { prompts }) => pullRequests.changed(prLink, prompts),
  });
  resources.defer(() => api.close());
  const slack = await startLocalSlack({ binary, port: 0, workspace: demoWorkspace }).catch(explain);
  resources.defer(() => slack.stop());
  const rendering = await startRenderingProxy(slack.apiUrl, demoWorkspace.channelsWithoutBot);
  resources.defer(() => rendering.close());

  const settings: Environment = {
    SLACK_BOT_TOKEN: slack.botToken,
    SLACK_APP_TOKEN: slack.appToken,
    // Shows dates and entities as Slack does: the local page does not know them.
    SLACK_API_URL: rendering.apiUrl,
    AGENT_BASE_URL: api.baseUrl,
    AGENT_API_KEY: API_KEY,
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
    // Links are those of github.com, and the stand-in is asked about them.
    GITHUB_TOKEN: CODE_HOST_TOKEN,
    GITHUB_API_URL: codeHost.githubApiUrl,
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
  const log = createLogger({ level: config.logLevel, destination: terminalLines(stdout) });
  const service = createService(config, { log });
  // Awaited here: the resources must outlive it.
  return await runUntilSignal(service, process, log, () => {
    console.log(welcome(slack.url));
    if (values.more) console.log(moreToTry({ envFile, port: service.port, config: configFile }));
  });
}

function explain(error: unknown): never {
  throw new StartError(error instanceof Error ? error.message : String(error), error);
}

const exitCode = await demo({ env: process.env, process, now: Date.now }).catch((error: unknown) => {
  const explained = explainError(error, 'start');
  console.error(explained.message);
  return explained.exitCode;
});
process.exit(exitCode);
