import type { SlackCall } from '../../support/fault-proxy/call.ts';
import { agentCalls, notices } from './outside.ts';

/** What an outward call is called among the fail points. */
export function callName({ method, args }: SlackCall): string {
  if (method === agentCalls.create) return 'POST job';
  if (method.endsWith('/cancel')) return 'POST cancel';
  if (method.startsWith(agentCalls.create)) return method.endsWith('/message') ? 'POST message' : 'GET job';
  if (method.startsWith('v3/repos/')) return 'GET pull request';
  if (method.startsWith('v3/users/')) return 'GET profile';
  if (method.startsWith('/files-pri/')) return 'GET snippet';
  if (method === 'chat.postEphemeral') return `${method} (${hintOrQuestion(args)})`;
  return method === 'chat.postMessage' ? `${method} (${postName(args)})` : method;
}

function hintOrQuestion({ blocks }: SlackCall['args']): string {
  return JSON.stringify(blocks).includes('"send_correction"') ? 'hint' : 'question';
}

function postName({ channel, thread_ts: threadTs, text }: SlackCall['args']): string {
  if (channel === notices) return String(text).includes('*docs-agent* ·') ? 'digest' : 'notice';
  if (String(text).includes('*Draft*')) return 'draft';
  if (threadTs === undefined) return 'card';
  return String(text).includes('[Details]') ? 'card in a thread' : 'thread';
}
