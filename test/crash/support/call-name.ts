import type { SlackCall } from '../../support/fault-proxy/call.ts';
import { agentCalls, notices } from './outside.ts';

/** What an outward call is called among the fail points. */
export function callName({ method, args }: SlackCall): string {
  if (method === agentCalls.create) return 'POST job';
  if (method.startsWith(agentCalls.create)) return method.endsWith('/message') ? 'POST message' : 'GET job';
  return method === 'chat.postMessage' ? `${method} (${postName(args)})` : method;
}

function postName({ channel, thread_ts: threadTs }: SlackCall['args']): string {
  if (channel === notices) return 'notice';
  return threadTs === undefined ? 'card' : 'thread';
}
