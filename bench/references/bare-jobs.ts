import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { runBolt, variable } from './bolt.ts';

// Whole jobs without a store: a command, its card, its agent job, replies, the pull request and a notice. It makes the
// calls whose results a person sees, each once: what the thread and the notice cannot be without.

const READ_EVERY_MS = 2_000;
const AT_ONCE = 64;

interface Job {
  readonly id: string;
  readonly channel: string;
  readonly ts: string;
  readonly title: string;
  readonly requester: string;
}

const slackApi = new URL(variable('SLACK_API_URL'));
const slack = new Pool(slackApi.origin, { connections: AT_ONCE });
const slackHeaders = {
  authorization: `Bearer ${variable('SLACK_BOT_TOKEN')}`,
  'content-type': 'application/json',
};
const agent = new Pool(variable('AGENT_BASE_URL'), { connections: AT_ONCE });
const agentHeaders = { authorization: 'Bearer bench', 'content-type': 'application/json' };
const agentPath = '/v2/agent/acme-docs/job';
const noticeChannel = variable('NOTICE_CHANNELS');
const readEveryMs = Number(process.env.READ_EVERY_MS ?? READ_EVERY_MS);

/** By their threads. */
const jobs = new Map<string, Job>();
const names = new Map<string, string>();

await runBolt(null, {
  command: ({ channel_id: channel, text, user_id: userId }) => void start(channel, text, userId),
  message: ({ channel, ts, thread_ts: threadTs, text }) => {
    const job = jobs.get(threadTs ?? '');
    if (job !== undefined) void reply(job, channel, ts, text ?? '');
  },
});

async function start(channel: string, prompt: string, userId: string): Promise<void> {
  const requester = await nameOf(userId);
  const { ts } = await callSlack('chat.postMessage', {
    channel,
    ...card(prompt, requester, '🚀 *Starting*'),
  });
  // A reply can only come now, and finds the job once the agent has it.
  const { id } = await callAgent('POST', agentPath, { prompt });
  const job = { id, channel, ts, title: prompt, requester };
  jobs.set(ts, job);
  await say(job, '⚙️ *On it.* Reply here to steer; I’ll post the pull request in this thread.');
  await show(job, '⚙️ *Working*');
  await watch(job);
}

async function watch(job: Job): Promise<void> {
  for (;;) {
    await pause(readEveryMs);
    const { status, prLink } = await callAgent('GET', `${agentPath}/${job.id}`);
    if (status !== 'completed') continue;
    const link = `<${prLink}|acme/docs#${prLink.split('/').at(-1)}>`;
    await say(job, `🎉 *Pull request ready:* ${link}`);
    await show(job, `✅ *Pull request ready* · ${link}`);
    // Only what was asked in public may be shown elsewhere.
    const { channel } = await callSlack('conversations.info', { channel: job.channel });
    const about = channel.is_private ? 'New documentation pull request' : job.title;
    await callSlack('chat.postMessage', {
      channel: noticeChannel,
      ...message(`📝 ${link} · *${about}* · by ${job.requester}`),
    });
    jobs.delete(job.ts);
    return;
  }
}

async function reply(job: Job, channel: string, timestamp: string, prompt: string): Promise<void> {
  await callSlack('reactions.add', { channel, timestamp, name: 'eyes' });
  await show(job, '⚙️ *Working*\n⏳ 1 reply waiting');
  await callAgent('POST', `${agentPath}/${job.id}/message`, { prompt });
  await callSlack('reactions.add', { channel, timestamp, name: 'white_check_mark' });
  await callSlack('reactions.remove', { channel, timestamp, name: 'eyes' });
  await show(job, '⚙️ *Working on 1 reply*');
}

async function nameOf(userId: string): Promise<string> {
  const known = names.get(userId);
  if (known !== undefined) return known;
  const { user } = await callSlack('users.info', { user: userId });
  names.set(userId, user.name);
  return user.name;
}

async function say({ channel, ts }: Job, text: string): Promise<void> {
  await callSlack('chat.postMessage', { channel, thread_ts: ts, ...message(text) });
}

async function show({ channel, ts, title, requester }: Job, state: string): Promise<void> {
  await callSlack('chat.update', { channel, ts, ...card(title, requester, state) });
}

function message(text: string) {
  return { text, blocks: [{ type: 'section', text: { type: 'mrkdwn', text } }] };
}

function card(title: string, requester: string, state: string) {
  const { blocks } = message(`*${title}*\n${state}`);
  const details = { type: 'button', action_id: 'details', text: { type: 'plain_text', text: 'Details' } };
  const context = { type: 'context', elements: [{ type: 'mrkdwn', text: `${requester} · acme/docs` }] };
  return {
    text: `${title}: ${state}`,
    blocks: [...blocks, { type: 'actions', elements: [details] }, context],
  };
}

interface SlackAnswer {
  readonly ts: string;
  readonly user: { readonly name: string };
  readonly channel: { readonly is_private: boolean };
}

async function callSlack(method: string, args: object): Promise<SlackAnswer> {
  const { body } = await slack.request({
    method: 'POST',
    path: `${slackApi.pathname}${method}`,
    headers: slackHeaders,
    body: JSON.stringify(args),
  });
  return (await body.json()) as SlackAnswer;
}

interface AgentAnswer {
  readonly id: string;
  readonly status: string;
  readonly prLink: string;
}

async function callAgent(method: 'GET' | 'POST', path: string, sent?: object): Promise<AgentAnswer> {
  const content = sent === undefined ? null : JSON.stringify(sent);
  const { body } = await agent.request({ method, path, headers: agentHeaders, body: content });
  return (await body.json()) as AgentAnswer;
}
