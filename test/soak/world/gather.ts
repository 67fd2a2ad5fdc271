import { random, type SlackMessage } from '../../support/local-slack.ts';
import type { StrictSlack } from '../../support/strict-slack.ts';
import type { AgentJobEnd, Asked, RunnerJob, StoryEvidence, Written } from '../model/evidence.ts';
import { linksOf, ofKind } from '../model/posts.ts';
import type { StoryPlan } from '../plan.ts';
import { isCardText, repliesIn, storyOf } from '../texts.ts';
import { acknowledgements, asksForJob, takenCommands } from './acknowledged.ts';
import type { Attempt } from './agent-front.ts';
import type { Request } from './asking.ts';
import { threadOf } from './channel-watch.ts';
import type { OfferAnswers } from './people.ts';
import type { Said } from './replying.ts';
import { takenBySecond } from './second-program.ts';

export interface Sources {
  readonly plans: readonly StoryPlan[];
  readonly answers: OfferAnswers;
  readonly slack: StrictSlack;
  /** Channels, and people, each for their direct messages. */
  readonly channels: readonly string[];
  readonly botUserId: string;
  readonly attempts: readonly Attempt[];
  readonly agentJobs: ReadonlyMap<string, AgentJobEnd>;
  readonly pressed: ReadonlySet<string>;
  readonly flaps: ReadonlyMap<string, number>;
  readonly lateTurns: ReadonlyMap<number, number>;
  readonly work: readonly RunnerJob[] | null;
}

/** Sorts all that is to be seen from outside by the stories that it belongs to. */
export async function gather(sources: Sources): Promise<StoryEvidence[]> {
  const { plans, answers, slack, botUserId, agentJobs, pressed } = sources;
  const all = (await Promise.all(sources.channels.map((id) => slack.control.messages(id)))).flat();
  const isPrivate = ({ subtype }: SlackMessage) => subtype === 'ephemeral';
  const messages = all.filter((message) => !isPrivate(message));
  const privates = Map.groupBy(all.filter(isPrivate), ({ thread_ts }) => thread_ts);
  const bySecond = takenBySecond(slack);
  const byStory = ({ text }: SlackMessage) => storyOf(text);
  const isCard = ({ user, text }: SlackMessage) => user === botUserId && isCardText(text);
  const cards = Map.groupBy(messages.filter(isCard), byStory);
  const inNoticeChannel = await slack.control.messages(random);
  const notices = Map.groupBy(inNoticeChannel, byStory);
  const acknowledged = acknowledgements(slack, ({ type }) => type !== 'reaction_added');
  const heard = acknowledgements(slack, asksForJob);
  const taken = takenCommands(slack);
  const threads = Map.groupBy(messages, ({ thread_ts }) => thread_ts);
  const said = Map.groupBy(answers.said, ({ story }) => story);
  const attempts = Map.groupBy(
    withoutRepeats(sources.attempts).toSorted((a, b) => a.atMs - b.atMs),
    ({ prompt }) => storyOf(prompt),
  );
  const byNumber = new Map(plans.map((plan) => [plan.number, plan]));

  return answers.asked.map((asked): StoryEvidence => {
    const number = asked.story;
    const ownCards = cards.get(number) ?? [];
    const roots = [...new Set(ownCards.map(threadOf))];
    const thread = ownCards.flatMap((card) => threads.get(threadOf(card)) ?? []);
    const posts = thread.filter((message) => message.user === botUserId && !isCard(message));
    const calls = attempts.get(number) ?? [];
    const own = said.get(number) ?? [];
    const flaps = calls.reduce((sum, { kind, agentJobId }) => {
      return kind === 'create' ? sum + (sources.flaps.get(agentJobId ?? '') ?? 0) : sum;
    }, 0);
    const written = own.map((one) => writtenOf(one, posts, acknowledged));
    return {
      asked: { ...asked, answer: answerTo(asked, heard, taken) },
      isPatient:
        byNumber.get(number)?.isPatient === true && flaps === 0 && own.every(({ isInTime }) => isInTime),
      replies: written.filter(({ manner }) => manner !== 'aside'),
      asides: written.filter(({ manner }) => manner === 'aside'),
      cards: ownCards,
      stepEnd: asked.executionId === null ? null : slack.control.stepEnd(asked.executionId),
      posts,
      notices: [...(notices.get(number) ?? []), ...unnamedNotices(inNoticeChannel, posts)],
      creates: calls.filter(({ kind }) => kind === 'create'),
      messages: calls.filter(({ kind }) => kind === 'message'),
      agentJobs,
      lateTurns: sources.lateTurns.get(number) ?? 0,
      flaps,
      pressed,
      work: sources.work?.filter(({ prompt }) => storyOf(prompt) === number) ?? null,
      second: {
        taken: written.filter(({ ts }) => bySecond.said.has(ts)),
        presses: bySecond.pressed.filter((rootTs) => roots.includes(rootTs ?? '')).length,
        told: roots.flatMap((rootTs) => (privates.get(rootTs) ?? []).map(({ text }) => text)),
      },
      receipts: new Map(written.map(({ ts }) => [ts, receiptsAt(thread, ts, botUserId)])),
    };
  });
}

/** What arrived with the same key is one call. */
function withoutRepeats(attempts: readonly Attempt[]): Attempt[] {
  const calls = Map.groupBy(attempts, (attempt) => attempt.key ?? attempt);
  return [...calls.values()].flatMap((repeats) => {
    const best = (['accepted', 'unclear', 'refused'] as const)
      .map((answer) => repeats.find((one) => one.answer === answer))
      .find((one) => one !== undefined);
    const taken = repeats.find(({ isTaken }) => isTaken);
    return best === undefined ? [] : { ...best, ...(taken && { isTaken: true, atMs: taken.atMs }) };
  });
}

/** Of what was asked in private, a notice says no more than the link. */
function unnamedNotices(messages: readonly SlackMessage[], posts: readonly SlackMessage[]): SlackMessage[] {
  const links = linksOf(ofKind(posts, 'link'));
  return messages.filter(
    (one) => storyOf(one.text) === null && linksOf([one]).some((l) => links.includes(l)),
  );
}

function answerTo(
  { answer, prompt }: Request,
  heard: ReadonlyMap<string, number>,
  taken: ReadonlySet<string>,
): Asked['answer'] {
  // Slack delivers a command once; here, a copy may be refused and another be taken.
  if (answer === 'refused' && taken.has(prompt)) return 'unclear';
  if (typeof answer === 'string') return answer;
  return heard.has(answer.message.ts) ? 'accepted' : 'unclear';
}

function writtenOf(
  said: Said,
  posts: readonly SlackMessage[],
  acknowledged: ReadonlyMap<string, number>,
): Written {
  const { ts, number } = said;
  if (ts !== null) return { ...said, ts, acknowledgedAtMs: acknowledged.get(ts) ?? null };
  const shown = ofKind(posts, 'written_in_form').find(({ text }) => repliesIn(text).includes(number));
  return { ...said, ts: shown?.ts ?? '', acknowledgedAtMs: null };
}

function receiptsAt(thread: readonly SlackMessage[], ts: string, botUserId: string): string[] {
  const { reactions = [] } = thread.find((message) => message.ts === ts) ?? {};
  return reactions.filter(({ users }) => users.includes(botUserId)).map(({ name }) => name);
}
