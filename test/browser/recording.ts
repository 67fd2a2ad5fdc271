/**
 * Records docs/images/kill.gif: the program is killed in the middle of a job, and goes on. Everything in it happens: the
 * terminal's lines are the program's own. Only long waits are shortened. On Debian it needs ffmpeg, gifsicle,
 * fonts-lato and fonts-noto-color-emoji; then: `npm run recording`.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { findLocalSlack, whereToGetLocalSlack } from '../../demo/local-slack/find.ts';
import { startRenderingProxy } from '../../demo/local-slack/rendering-proxy.ts';
import { demoWorkspace } from '../../demo/local-slack/workspace.ts';
import { startLocalSlack } from '../../demo/local-slack.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { startAgentApi } from '../support/agent-api/agent-api.ts';
import { runCommand } from '../support/child-program.ts';
import { createTempDir } from '../support/temp-dir.ts';
import { findChromium, launchBrowser, whereToGetChromium } from './support/browser.ts';
import { showAsInSlack } from './support/demo-in-browser.ts';
import { createSlackPage } from './support/slack-page.ts';

const cli = fileURLToPath(new URL('../../src/cli/cli.ts', import.meta.url));
const gif = fileURLToPath(new URL('../../docs/images/kill.gif', import.meta.url));
const prLink = 'https://github.com/acme/docs/pull/14';
/** How long the last frame is shown, and another at most. */
const LAST_MS = 2_500;
const WAIT_MAX_MS = 1_600;
/** A terminal on the left, the thread on the right. */
const SIDE_BY_SIDE = `
  .topbar, .sidebar, .main, .thread-x { display: none !important }
  .app { margin-left: 440px }
  .thread-pane { width: 100% !important; border: none !important }
  .bk-section { white-space: pre-wrap; overflow-wrap: anywhere }
  #terminal { position: fixed; inset: 0 auto 0 0; width: 440px; box-sizing: border-box; margin: 0; padding: 14px 16px;
    background: #1d1c1d; color: #e8e8e8; font: 14px/1.45 "DejaVu Sans Mono", monospace; white-space: pre-wrap }`;

const binary = findLocalSlack(process.env);
const chromium = findChromium(process.env);
if (binary === null) throw new Error(whereToGetLocalSlack);
if (chromium === null) throw new Error(whereToGetChromium);
await using resources = new AsyncDisposableStack();
const folder = resources.use(await createTempDir());
const agent = await startAgentApi({
  apiKey: 'key',
  projectId: 'acme-docs',
  clock: systemClock,
  script: () => ({ workMs: 0, ending: 'manual' }),
});
resources.defer(() => agent.close());
const slack = await startLocalSlack({ binary, port: 0, workspace: demoWorkspace });
resources.defer(() => slack.stop());
const proxy = await startRenderingProxy(slack.apiUrl);
resources.defer(() => proxy.close());
const browser = resources.use(await launchBrowser(chromium));
const page = await browser.newPage({ viewport: { width: 960, height: 600 }, deviceScaleFactor: 1.5 });
await showAsInSlack(page);
await page.goto(slack.url);
const shown = createSlackPage(page);

let terminal = '';
const say = async (text: string) => {
  terminal += text;
  await page.evaluate(`document.getElementById('terminal').textContent = ${JSON.stringify(terminal)}`);
};

/** At a terminal of its own, since that is where it greets people. */
function startProgram() {
  return runCommand(
    ['script', '-qec', `echo "pid $$"; exec ${process.execPath} --disable-sigusr1 ${cli} start`, '/dev/null'],
    {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: join(folder.path, 'cache'),
      SLACK_BOT_TOKEN: slack.botToken,
      SLACK_APP_TOKEN: slack.appToken,
      SLACK_API_URL: proxy.apiUrl,
      AGENT_BASE_URL: agent.baseUrl,
      AGENT_API_KEY: 'key',
      AGENT_PROJECT_ID: 'acme-docs',
      DATA_DIR: join(folder.path, 'data'),
      HOST: '127.0.0.1',
      PORT: '0',
      POLL_MIN_INTERVAL: '1s',
      FOLLOW_UP_WINDOW: '1s',
      LOG_LEVEL: 'warn',
    },
  );
}

await page.addStyleTag({ content: '#terminal { display: none }' });
await page.evaluate(`document.body.append(Object.assign(document.createElement('pre'), { id: 'terminal' }))`);
const first = resources.use(startProgram());
const [, pid = ''] = await first.printed(/pid (\d+)/);
await first.printed(/Try \/docs-agent help/);
await shown.write('/docs-agent Add a quickstart for the CLI');
await shown.openThread(shown.message('Add a quickstart'));
await page.addStyleTag({ content: `${SIDE_BY_SIDE} #terminal { display: block }` });
await say(`$ npm start\n${greetingOf(first.output())}`);
await shown.threadMessage('Add a quickstart').getByText('Working').waitFor();

const recording = record(page);
await page.waitForTimeout(800);
await say(`\n\n$ kill -9 ${pid}   # in the middle of the job`);
await page.waitForTimeout(400);
process.kill(Number(pid), 'SIGKILL');
await say('\nKilled');
await shown.reply('Please mention npx, too');
await page.waitForTimeout(300);
await say('\n\n$ npm start');
const second = resources.use(startProgram());
await second.printed(/Try \/docs-agent help/);
await say(`\n${greetingOf(second.output())}`);
await shown.threadMessage('Please mention npx').getByText('✅').waitFor();
await page.waitForTimeout(800);
agent.finish(agent.jobs[0]?.id ?? '', { status: 'completed', prLink });
await shown.threadMessage('🎉').waitFor();
await shown.threadMessage('Add a quickstart').getByText('Pull request ready').waitFor();
await page.waitForTimeout(200);
const frames = await recording.stop();
console.log(
  `${terminal}\n\n${frames.length} frames, ${frames.reduce((sum, { lastsMs }) => sum + lastsMs, 0)} ms`,
);

const list = frames.map(({ png, lastsMs }, index) => {
  const path = join(folder.path, `${index}.png`);
  writeFileSync(path, png);
  return `file '${path}'\nduration ${lastsMs / 1000}\n`;
});
const listPath = join(folder.path, 'frames.txt');
writeFileSync(listPath, list.join(''));
const colours =
  'split[a][b];[a]palettegen=stats_mode=full[p];[b][p]paletteuse=dither=none:diff_mode=rectangle';
const input = ['-f', 'concat', '-safe', '0', '-i', listPath];
const lastFrame = ['-final_delay', `${LAST_MS / 10}`];
execFileSync('ffmpeg', ['-v', 'error', '-y', ...input, '-vf', colours, ...lastFrame, gif]);
execFileSync('gifsicle', ['-b', '-O3', gif]);

/** What it said at its start, without what belongs to this machine. */
function greetingOf(output: string): string {
  const [, greeting = ''] = /(docs-agent is ready[\s\S]*)/.exec(output.replaceAll('\r', '')) ?? [];
  return greeting.replace(/ {2}Health[\s\S]*?\n\n/, '\n').trimEnd();
}

interface Frame {
  readonly png: Buffer;
  readonly lastsMs: number;
}

/** Takes a picture whenever something has changed, until it is stopped. */
function record(from: Page): { stop(): Promise<readonly Frame[]> } {
  let isStopped = false;
  const taken: { readonly png: Buffer; readonly atMs: number }[] = [];
  const done = (async () => {
    while (!isStopped) {
      const atMs = performance.now();
      const png = await from.screenshot({ caret: 'hide' });
      if (taken.at(-1)?.png.equals(png) !== true) taken.push({ png, atMs });
    }
  })();
  done.catch(() => {});
  return {
    // A failure of the page fails what is done on it, too.
    stop: async () => {
      isStopped = true;
      await done;
      return taken.map(({ png, atMs }, index) => {
        const next = taken[index + 1];
        const tookMs = next === undefined ? LAST_MS : Math.min(next.atMs - atMs, WAIT_MAX_MS);
        return { png, lastsMs: Math.round(tookMs) };
      });
    },
  };
}
