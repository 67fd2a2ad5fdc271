import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readAll } from '../../support/fault-proxy/forward.ts';

interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: unknown;
}

interface ChatRequest {
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

/**
 * A model with the chat API of OpenAI, on loopback. The last request of a conversation says what it does: it calls the
 * tool `write` for each line `write PATH TEXT`, does not answer a line `hang`, or `hang once` until it resumes, and else
 * ends with `Done.`
 */
export async function startScriptedModel() {
  const requests: ChatRequest[] = [];
  let hasResumed = false;
  const server = createServer(async (request, response) => {
    const chat: ChatRequest = JSON.parse((await readAll(request)).toString());
    requests.push(chat);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (!hangs(chat, hasResumed)) answer(chat, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    resume: () => {
      hasResumed = true;
    },
    close: () => server.close().closeAllConnections(),
  };
}

/** The last request of the conversation, and its call that is due. */
function due({ messages, tools }: ChatRequest) {
  const at = messages.findLastIndex(({ role }) => role === 'user');
  const lines = textOf(messages[at]).split('\n');
  const done = messages.slice(at).filter(({ role }) => role === 'tool').length;
  const canWrite = tools?.some((tool) => tool.function.name === 'write') === true;
  return {
    lines,
    done,
    call: canWrite ? lines.filter((line) => line.startsWith('write '))[done] : undefined,
  };
}

function hangs(chat: ChatRequest, hasResumed: boolean): boolean {
  const { lines, call } = due(chat);
  if (chat.tools === undefined || call !== undefined) return false;
  return lines.includes('hang') || (lines.includes('hang once') && !hasResumed);
}

function answer(chat: ChatRequest, response: ServerResponse): void {
  const { call, done } = due(chat);
  if (call === undefined) {
    stream(response, { role: 'assistant', content: 'Done.' }, 'stop');
    return;
  }
  const [, filePath = '', ...words] = call.split(' ');
  const input = JSON.stringify({ filePath, content: `${words.join(' ')}\n` });
  const write = { name: 'write', arguments: input };
  const toolCall = { index: 0, id: `call_${done}`, type: 'function', function: write };
  stream(response, { role: 'assistant', tool_calls: [toolCall] }, 'tool_calls');
}

function textOf(message: ChatMessage | undefined): string {
  const content = message?.content ?? '';
  if (typeof content === 'string') return content;
  return (content as readonly { readonly text?: string }[]).map(({ text }) => text ?? '').join('\n');
}

function stream(response: ServerResponse, delta: object, finish_reason: string): void {
  const about = { id: 'one', object: 'chat.completion.chunk', created: 0, model: 'scripted' };
  const parts = [
    { index: 0, delta, finish_reason: null },
    { index: 0, delta: {}, finish_reason },
  ];
  for (const part of parts) response.write(`data: ${JSON.stringify({ ...about, choices: [part] })}\n\n`);
  response.end('data: [DONE]\n\n');
}
