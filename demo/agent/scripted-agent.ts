import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import * as acp from '@agentclientprotocol/sdk';
import { wordsOf } from '../words.ts';
import { type Page, workOn } from './edits.ts';

const WORK_MS = 6_000;
const SLOW_WORK_MS = 60_000;

/**
 * The demo's agent: it asks no model, but really edits the Markdown of its folder. Like others, it streams words, a plan
 * and tool calls, goes on with its sessions, and stops when it is told to.
 */
const { agent, client } = acp.methods;
let cwd = '.';
let stopping = new AbortController();

const app = acp
  .agent({ name: 'scripted' })
  .onRequest(agent.initialize, () => ({
    protocolVersion: acp.PROTOCOL_VERSION,
    agentInfo: { name: 'demo-writer', version: '1.0' },
    agentCapabilities: { sessionCapabilities: { resume: {} } },
    authMethods: [],
  }))
  .onRequest(agent.session.new, ({ params }) => {
    cwd = params.cwd;
    return { sessionId: `${process.pid}` };
  })
  .onRequest(agent.session.resume, ({ params }) => {
    cwd = params.cwd;
    return {};
  })
  .onNotification(agent.session.cancel, () => stopping.abort())
  .onRequest(agent.session.prompt, async ({ params: { sessionId, prompt }, client: peer }) => {
    stopping = new AbortController();
    const text = prompt.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
    const request = text.split('The request now:').at(-1)?.trim() ?? '';
    const words = wordsOf(request);
    const stepMs = (words.has('slow') ? SLOW_WORK_MS : WORK_MS) / 4;
    const tell = (update: acp.SessionUpdate) => peer.notify(client.session.update, { sessionId, update });
    const say = async (message: string, messageId: string) => {
      for (const part of message.match(/\S+\s*/g) ?? [])
        await tell({
          sessionUpdate: 'agent_message_chunk',
          messageId,
          content: { type: 'text', text: part },
        });
    };
    const use = async (kind: acp.ToolKind, title: string, paths: readonly string[] = []) => {
      const locations = paths.map((path) => ({ path: join(cwd, path) }));
      await tell({
        sessionUpdate: 'tool_call',
        toolCallId: title,
        title,
        kind,
        locations,
        status: 'in_progress',
      });
      await sleep(stepMs, undefined, { signal: stopping.signal });
      await tell({ sessionUpdate: 'tool_call_update', toolCallId: title, status: 'completed' });
    };
    try {
      const entries = ['Read the docs', 'Write', 'Check the links'].map((content) => {
        return { content, priority: 'medium' as const, status: 'pending' as const };
      });
      await tell({ sessionUpdate: 'plan', entries });
      await say('I read what the docs say about it first.', 'first');
      const pages = pagesIn(cwd);
      await use(
        'read',
        'Read',
        pages.map(({ path }) => path),
      );
      if (words.has('fail')) {
        console.error('the demo said fail');
        process.exit(1);
      }
      const work = workOn(request, pages, changedPage());
      const { edits } = words.has('nothing') ? { edits: [] } : work;
      for (const { path, text: edited } of edits) {
        mkdirSync(dirname(join(cwd, path)), { recursive: true });
        writeFileSync(join(cwd, path), edited);
        await use('edit', `Edit ${path}`, [path]);
      }
      await use('execute', 'a check of all links');
      await say(words.has('nothing') ? 'I found nothing that has to change.' : work.words, 'last');
      return { stopReason: 'end_turn' };
    } catch (error) {
      if (!stopping.signal.aborted) throw error;
      return { stopReason: 'cancelled' };
    }
  });

function pagesIn(folder: string): Page[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names
    .filter((path) => /\.mdx?$/.test(path) && !/(?:^|\/)(?:\.|node_modules\/)/.test(path))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }));
}

/** The page that this job is about: of a stopped turn's edits, or else of the last commit, if it is an agent's. */
function changedPage(): string | null {
  const git = (...args: string[]) => execFileSync('git', ['-C', cwd, ...args], { encoding: 'utf8' });
  const edited = git('status', '--porcelain', '--untracked-files=all');
  const committed = git('log', '-1', '--format=%an', '--name-status', 'HEAD');
  const changes = edited + (committed.startsWith('docs-agent\n') ? committed : '');
  const [, page] = /^(?:A|\?\?)\s(.*\.mdx?)$/m.exec(changes) ?? /^.{1,2}\s(.*\.mdx?)$/m.exec(changes) ?? [];
  return page ?? null;
}

process.stdin.on('end', () => process.exit());
app.connect(
  acp.ndJsonStream(
    Writable.toWeb(process.stdout),
    Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
  ),
);
