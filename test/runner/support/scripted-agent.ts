import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import * as acp from '@agentclientprotocol/sdk';

/**
 * An ACP agent that does what the lines of its prompt say: `write PATH TEXT`, `link PATH TARGET`, `git ARGS`, `run SHELL`, `env NAME`,
 * `ask`, `leave` (a process), `refuse`, `die`, `mortal` (ends when it is told to stop), `hang`, `wait` (for a file `go`
 * in HOME). It asks nothing of a model. Its sessions survive it, in HOME. With LOADS set, it loads
 * sessions instead of resuming them, and its messages have no ids.
 */
const home = process.env.HOME ?? '/nowhere';
const fileOf = (sessionId: string) => join(home, `session-${sessionId}`);
const isLoading = process.env.LOADS !== undefined;
let cwd = '/';
let isMortal = false;

const app = acp
  .agent({ name: 'scripted' })
  .onRequest(acp.methods.agent.initialize, () => ({
    protocolVersion: acp.PROTOCOL_VERSION,
    agentInfo: { name: 'scripted', version: '1.0' },
    agentCapabilities: {
      promptCapabilities: { image: true },
      ...(isLoading ? { loadSession: true } : { sessionCapabilities: { resume: {} } }),
    },
    authMethods: [],
  }))
  .onRequest(acp.methods.agent.session.new, ({ params }) => {
    cwd = params.cwd;
    const sessionId = `${process.pid}-${Date.now()}`;
    writeFileSync(fileOf(sessionId), '');
    return { sessionId };
  })
  .onRequest(acp.methods.agent.session.resume, ({ params }) => {
    if (!existsSync(fileOf(params.sessionId))) throw new Error('no such session');
    cwd = params.cwd;
    return {};
  })
  .onRequest(acp.methods.agent.session.load, async ({ params, client }) => {
    if (!existsSync(fileOf(params.sessionId))) throw new Error('no such session');
    cwd = params.cwd;
    await sayTo(client, params.sessionId)('What I said before.', 'before');
    return {};
  })
  .onNotification(acp.methods.agent.session.cancel, () => {
    if (isMortal) process.exit(0);
  })
  .onRequest(acp.methods.agent.session.prompt, async ({ params, client }) => {
    const { sessionId } = params;
    const text = params.prompt
      .map((block) => (block.type === 'text' ? block.text : `[${block.type}]`))
      .join('\n');
    const say = sayTo(client, sessionId);
    const use = (kind: acp.ToolKind, path: string) =>
      client.notify(acp.methods.client.session.update, {
        sessionId,
        update: {
          sessionUpdate: 'tool_call',
          toolCallId: path,
          title: path,
          kind,
          locations: [{ path: join(cwd, path) }],
        },
      });
    writeFileSync(join(home, 'last-prompt'), text);
    await say('I begin.', 'first');
    const words: string[] = [];
    const conflict = text.indexOf('Somebody has changed');
    if (conflict >= 0) {
      words.push(resolve(text.slice(conflict)));
      await use('edit', 'the conflict');
      if (words[0] === HANGS && !existsSync(fileOf('hung'))) {
        writeFileSync(fileOf('hung'), '');
        await new Promise(() => {});
      }
    }
    const request = text.split('The request now:').at(-1) ?? '';
    for (const line of request.split('\n')) {
      const [verb, first = '', ...rest] = line.split(' ');
      const path = join(cwd, first);
      if (verb === 'write') {
        await use('edit', first);
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, `${rest.join(' ')}\n`);
      } else if (verb === 'link') symlinkSync(rest.join(' '), path);
      else if (verb === 'git') execFileSync('git', [first, ...rest], { cwd, stdio: 'ignore' });
      else if (verb === 'run') execFileSync('sh', ['-c', line.slice(4)], { cwd });
      else if (verb === 'env') words.push(`${first} is ${process.env[first] ?? 'not set'}`);
      else if (verb === 'leave') spawn('sleep', ['600'], { detached: true, stdio: 'ignore' }).unref();
      else if (verb === 'refuse') return { stopReason: 'refusal' };
      else if (verb === 'die') process.exit(3);
      else if (verb === 'mortal') isMortal = true;
      else if (verb === 'wait') while (!existsSync(join(home, 'go'))) await sleep(20);
      else if (verb === 'hang') await new Promise(() => {});
      else if (verb === 'ask') words.push(`allowed: ${await ask(client, sessionId)}`);
    }
    await say(words.join('; ') || 'Done.', 'last');
    writeFileSync(join(home, 'agent-ms'), String(performance.now()));
    return { stopReason: 'end_turn' };
  });

function sayTo(client: acp.AgentContext, sessionId: string) {
  return (text: string, messageId: string) =>
    client.notify(acp.methods.client.session.update, {
      sessionId,
      update: {
        sessionUpdate: 'agent_message_chunk',
        ...(!isLoading && { messageId }),
        content: { type: 'text', text },
      },
    });
}

async function ask(client: acp.AgentContext, sessionId: string): Promise<string> {
  const { outcome } = await client.request(acp.methods.client.session.requestPermission, {
    sessionId,
    toolCall: { toolCallId: 'one', title: 'Write' },
    options: [
      { optionId: 'no', name: 'No', kind: 'reject_once' },
      { optionId: 'always', name: 'Always', kind: 'allow_always' },
      { optionId: 'once', name: 'Once', kind: 'allow_once' },
    ],
  });
  return outcome.outcome === 'selected' ? outcome.optionId : outcome.outcome;
}

const HANGS = 'It hangs.';

/** Keeps both sides of each conflict, unless it was told to give up, or to hang the first time. */
function resolve(prompt: string): string {
  const [, ...names] = (prompt.split('\n\n')[0] ?? '').split('\n');
  for (const name of names) {
    const path = join(cwd, name);
    const text = readFileSync(path, 'utf8');
    if (text.includes('hangs') && !existsSync(fileOf('hung'))) return HANGS;
    if (!text.includes('stubborn')) writeFileSync(path, text.replace(/^(?:<{7}|={7}|>{7}).*\n/gm, ''));
  }
  return 'Both are kept.';
}

app.connect(
  acp.ndJsonStream(
    Writable.toWeb(process.stdout),
    Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
  ),
);
