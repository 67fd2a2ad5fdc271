import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { setTimeout as work } from 'node:timers/promises';
import * as acp from '@agentclientprotocol/sdk';
import { instructionIn, lineOf, storyOf } from '../../texts.ts';

/** An ACP agent that adds a line with its request to the file of the story, unless the request says otherwise. */
const WORK_MAX_MS = 1_500;
const { agent, client } = acp.methods;
let cwd = '/';

const app = acp
  .agent({ name: 'soak' })
  .onRequest(agent.initialize, () => ({
    protocolVersion: acp.PROTOCOL_VERSION,
    agentInfo: { name: 'soak', version: '1.0' },
    agentCapabilities: {},
    authMethods: [],
  }))
  .onRequest(agent.session.new, ({ params }) => {
    cwd = params.cwd;
    return { sessionId: `${process.pid}` };
  })
  .onRequest(agent.session.prompt, async ({ params: { sessionId, prompt }, client: peer }) => {
    const text = prompt.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
    const request = text.split('The request now:').at(-1) ?? '';
    const story = `J${storyOf(request)}`;
    const instruction = instructionIn(request);
    if (instruction !== 'no_link') {
      mkdirSync(join(cwd, 'docs'), { recursive: true });
      appendFileSync(join(cwd, 'docs', `${story}.md`), `${lineOf(request)}\n`);
    }
    await work(Math.random() * WORK_MAX_MS);
    const flag = join(process.env.HOME ?? '/nowhere', `failed-${story}`);
    if (instruction === 'fail_once' && !existsSync(flag)) {
      writeFileSync(flag, '');
      throw new Error('as asked for');
    }
    const words = { type: 'text', text: 'Done.' } as const;
    const update = { sessionUpdate: 'agent_message_chunk', messageId: 'last', content: words } as const;
    await peer.notify(client.session.update, { sessionId, update });
    return { stopReason: 'end_turn' };
  });

app.connect(
  acp.ndJsonStream(
    Writable.toWeb(process.stdout),
    Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
  ),
);
