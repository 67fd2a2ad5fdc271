import { localApp } from '../../../demo/local-slack/workspace.ts';
import { announcedLink } from '../../../src/jobs/announcement.ts';
import { PUBLIC_SITES, pullRequestKey } from '../../../src/jobs/pull-requests/link.ts';
import { callBlockId } from '../../../src/slack/messages/message-event.ts';
import { receiptEmoji } from '../../../src/slack/protocol/ids.ts';
import { stateLine } from '../../../src/slack/views/job.ts';
import { nameOf } from '../invariants.ts';
import type { SlackMessage } from '../local-slack.ts';
import type { JobRows } from './rows.ts';

/** Agent jobs that go on no more, as the API describes them, by their ids. */
export type AgentEnds = ReadonlyMap<string, { readonly status: string; readonly prLink: string | null }>;

/** What can be seen from outside when the program has nothing left to do. */
export interface Rest {
  /** Of all places. */
  readonly messages: readonly SlackMessage[];
  /** Words of each request and reply of which its author knows that it is kept. */
  readonly accepted: readonly string[];
  /** Of those of which nobody knows whether they are. Default: there are none */
  readonly unclear?: readonly string[];
  /** Channels without the bot: a notice waits there. Default: none */
  readonly closed?: readonly string[];
  /** Default: they are not looked at */
  readonly ends?: AgentEnds;
}

type Rule = (all: readonly JobRows[], rest: Rest) => readonly string[];

/** What holds besides the invariants when nothing is left to do: that nothing is lost on the way out. */
export const atRest = {
  /** Would catch a request that was confirmed before its commit, or that starts a job with each delivery. */
  'what was accepted is stored once': (all, { accepted, unclear = [] }) => {
    const textsOf = ({ job, followUps }: JobRows) => [job.prompt, ...followUps.map(({ text }) => text)];
    // Who asks again, since no answer came, is asked whether that is meant.
    const meant = all.filter(({ job }) => job.stage.kind !== 'awaiting_confirmation').flatMap(textsOf);
    const stored = all.flatMap(textsOf);
    return [...accepted, ...unclear].flatMap((words) => {
      const times = meant.filter((text) => isIn(text, words)).length;
      const isMissing = accepted.includes(words) && !stored.some((text) => isIn(text, words));
      return times > 1 || isMissing ? [`${times} times: ${words}`] : [];
    });
  },

  /** Would catch a call that waits for ever. */
  'no call is left open': (all, { closed = [] }) =>
    all.flatMap(({ calls }) =>
      calls
        .filter(({ endedAt }) => endedAt === null)
        .filter(({ request }) => request.kind !== 'notify_channel' || !closed.includes(request.channelId))
        .map((call) => `${nameOf(call)} is ${call.state}`),
    ),

  /** Would catch a post that was repeated, though a look had found it. */
  'each post stands in Slack once': (all, { messages }) => {
    const states = new Map(all.flatMap(({ calls }) => calls.map(({ id, state }) => [id, state])));
    const ids = messages.flatMap(callIdsIn).filter((id) => states.has(id));
    return [
      ...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${id} stands there twice`),
      ...ids.filter((id) => states.get(id) !== 'done').map((id) => `${id} is ${states.get(id)}`),
    ];
  },

  /** Would catch a refresh that gives up in silence. */
  'each card shows how its job stands': (all, { messages }) =>
    all.flatMap(({ job }) => {
      const card = messages.find(({ ts, channel }) => ts === job.cardTs && channel === job.channelId);
      const [words = ''] = /\*.+?\*/.exec(stateLine(job).mrkdwn) ?? [];
      return card === undefined || card.text.includes(words) ? [] : [`not ${words}, but ${card.text}`];
    }),

  /** Would catch a receipt that Slack never got. */
  'each reply has its receipt in Slack': (all, { messages }) =>
    all.flatMap(({ job, followUps }) =>
      followUps.flatMap(({ messageTs, receiptShown, state }) => {
        const message = messages.find(({ ts, channel }) => ts === messageTs && channel === job.channelId);
        if (message === undefined || state === 'withdrawn') return [];
        const { reactions = [] } = message;
        const shown = reactions.filter(({ users }) => users.includes(localApp.botUserId));
        const is = shown.map(({ name }) => name).join();
        return is === (receiptShown === null ? '' : receiptEmoji[receiptShown])
          ? []
          : [`${messageTs}: ${is}`];
      }),
    ),

  /** Would catch a last look at a job that comes too early. */
  'the last pull request of the agent is told': (all, { ends = new Map() }) =>
    all.flatMap(({ job, calls }) => {
      const { status, prLink } = ends.get(job.agentJob?.id ?? '') ?? { status: null, prLink: null };
      const told = calls.flatMap(({ request }) => {
        const link = request.kind === 'announce' ? announcedLink(request.announcement) : null;
        return link === null ? [] : [pullRequestKey(link, PUBLIC_SITES)];
      });
      const isTold = prLink === null || told.includes(pullRequestKey(prLink, PUBLIC_SITES));
      return isTold ? [] : [`${job.id} ended as ${status}: ${prLink}`];
    }),
} as const satisfies Readonly<Record<string, Rule>>;

/** As whole words. */
function isIn(text: string, words: string): boolean {
  const at = text.indexOf(words);
  return at >= 0 && !/\w/.test(text.charAt(at + words.length));
}

/** Of the ledger; in a message, by which a second post of the same call is known. */
export function callIdsIn({ blocks = [] }: SlackMessage): string[] {
  const prefix = callBlockId('');
  return blocks.flatMap(({ block_id: id = '' }) => (id.startsWith(prefix) ? id.slice(prefix.length) : []));
}

export function brokenAtRest(all: readonly JobRows[], rest: Rest): string[] {
  return Object.entries(atRest).flatMap(([name, rule]) =>
    rule(all, rest).map((wrong) => `Broken at rest: ${name}\n${wrong}`),
  );
}
