import type { SlackMessage } from '../../support/local-slack.ts';
import { repliesIn } from '../texts.ts';
import type { Finding, StoryEvidence } from './evidence.ts';
import { callIdOf, isStop, kindOf, linksOf, ofKind, repeated } from './posts.ts';
import { watchedJobOf } from './starts.ts';

/** What the agent did is announced once: each state, each pull request, in the thread and in the notice channel. */
export function judgeAnnouncements(story: StoryEvidence): Finding[] {
  if (story.cards.length === 0) return [];
  return [...judgePosts(story), ...judgeStates(story), ...judgeLinks(story)];
}

function judgePosts({ cards, posts, notices }: StoryEvidence): Finding[] {
  const calls = [...cards, ...posts, ...notices].flatMap((message) => callIdOf(message) ?? []);
  return [
    ...repeated(calls).map((id): Finding => ({ kind: 'doubled', what: `two messages of ${id}` })),
    ...posts
      .filter((post) => kindOf(post) === 'other')
      .map(({ text }): Finding => ({ kind: 'unexpected', what: `the thread was told: ${text}` })),
  ];
}

/** A turn that has completed may seem archived or failed besides; each is told once in the turn. */
const OTHER_ENDS = 2;

function judgeStates(story: StoryEvidence): Finding[] {
  const { posts, messages } = story;
  const states = posts.filter((post) => ['working', 'ended', 'link'].includes(kindOf(post)));
  const findings: Finding[] = [];
  // Nobody does that here. But if a job said for one look that it had failed, before it took up a reply, that was the
  // end of the reply's turn for all that could be seen: its work, when it comes, has no explanation.
  const unexplained = ofKind(posts, 'continued');
  if (unexplained.length > story.flaps) {
    findings.push({ kind: 'unexpected', what: `the thread was told: ${unexplained[0]?.text}` });
  }
  const starts = startsOf(story);
  const working = ofKind(posts, 'working').length;
  if (working > starts) {
    findings.push({ kind: 'doubled', what: `${starts} agent jobs, but ${working} were told as working` });
  }
  // No turn ends twice, unless it was taken up late, or its job said so.
  const turns = starts + messages.filter(({ isTaken }) => isTaken).length + story.lateTurns;
  const most = turns + Math.min(story.flaps, turns * OTHER_ENDS);
  const ends = states.length - working;
  if (ends > most) findings.push({ kind: 'doubled', what: `${most} ends, but ${ends} were told` });
  const last = states.at(-1);
  // An end that was told before a job said something else is not told again.
  const tells = story.flaps > 0 ? states.findLast((state) => tellsEnd(state, endOf(story))) : last;
  if (tells === undefined || !tellsEnd(tells, endOf(story))) {
    findings.push({ kind: 'lost', what: `the end is not told; the last was: ${last?.text ?? 'nothing'}` });
  }
  return findings;
}

/** How many agent jobs the thread has shown: the first one, and those that were run again. */
function startsOf({ creates }: StoryEvidence): number {
  return creates.filter(({ answer }) => answer === 'accepted').length;
}

function judgeLinks(story: StoryEvidence): Finding[] {
  const { posts, notices, isPatient } = story;
  const announced = linksOf(ofKind(posts, 'link'));
  // A stop tells the link of the turn before, if nobody had seen that.
  const stopped = linksOf(posts.filter(isStop)).filter((link) => !announced.includes(link));
  const links = [...announced, ...new Set(stopped)];
  const noticed = linksOf(notices);
  const findings = [
    ...repeated(links).map((link): Finding => ({ kind: 'doubled', what: `announced twice: ${link}` })),
    ...repeated(noticed).map((link): Finding => ({ kind: 'doubled', what: `two notices of ${link}` })),
    ...links
      .filter((link) => !noticed.includes(link))
      .map((link): Finding => ({ kind: 'lost', what: `the notice of ${link}` })),
    ...noticed
      .filter((link) => !links.includes(link))
      .map((link): Finding => ({ kind: 'lost', what: `the announcement of ${link}, which has a notice` })),
  ];
  const last = endOf(story)?.prLink ?? null;
  if (last !== null && !links.includes(last)) {
    findings.push({ kind: 'lost', what: `the announcement of ${last}` });
  }
  // Each was written only when the link of the turn before was announced, so no link belongs to two turns.
  const taken = story.messages.filter(({ isTaken }) => isTaken).flatMap(({ prompt }) => repliesIn(prompt));
  const turns = 1 + new Set(taken).size;
  if (isPatient && links.length < turns) {
    findings.push({ kind: 'lost', what: `${turns} turns made a link, ${links.length} were told` });
  }
  return findings;
}

/** The outcome of the agent job that the thread shows. */
export function endOf(story: StoryEvidence): { status: string; prLink: string | null } | null {
  const id = watchedJobOf(story);
  return id === null ? null : (story.agentJobs.get(id) ?? null);
}

const WORDS: Readonly<Record<string, RegExp>> = {
  completed:
    /\*(Finished|Pull request ready|Another pull request|Updated|Done, no pull request|Stopped|The agent says|Answered)/,
  failed: /\*Failed/,
};

/** The message says how the job ended. */
export function tellsEnd({ text }: SlackMessage, end: { readonly status: string } | null): boolean {
  const word = WORDS[end?.status ?? ''];
  return word?.test(text) === true;
}
