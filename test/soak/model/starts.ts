import type { SlackMessage } from '../../support/local-slack.ts';
import { repliesIn } from '../texts.ts';
import type { Asked, Finding, StoryEvidence } from './evidence.ts';
import { ofKind } from './posts.ts';
import { byTime } from './replies.ts';

/** A request makes one card and one agent job; a second one only if a person was asked, and said so. */
export function judgeStart(story: StoryEvidence): Finding[] {
  const { asked, cards, creates, posts, stepEnd } = story;
  const findings: Finding[] = [];
  const mustBe = asked.answer === 'accepted' ? 1 : 0;
  const mayBe = asked.answer === 'refused' ? 0 : 1;
  if (cards.length < mustBe) findings.push({ kind: 'lost', what: 'the request has no card' });
  if (cards.length > mayBe) findings.push({ kind: 'doubled', what: `the request has ${cards.length} cards` });
  if (creates.some(({ prompt }) => !isWhatWasAsked(asked, withoutReplies(prompt, story)))) {
    findings.push({ kind: 'unexpected', what: 'the agent got another prompt' });
  }
  const drafts = ofKind(posts, 'draft').length;
  if (drafts > 1) findings.push({ kind: 'doubled', what: `the mark has ${drafts} drafts` });
  if (asked.executionId !== null && cards.length > 0 && stepEnd === null) {
    findings.push({ kind: 'lost', what: 'the step of the workflow has not ended' });
  }
  if (cards.length === 0) {
    if (creates.length > 0) findings.push({ kind: 'lost', what: 'the card of an agent job' });
    return findings;
  }

  if (watchedJobOf(story) === null) findings.push({ kind: 'lost', what: 'there is no agent job' });
  const unknown = ofKind(posts, 'create_unknown').length;
  const unclear = creates.filter(({ answer }) => answer === 'unclear').length;
  if (unclear > unknown) {
    findings.push({ kind: 'lost', what: `${unclear} create calls were unclear, ${unknown} were shown` });
  }
  const made = creates.filter(({ answer }) => answer !== 'refused').length;
  const allowed = 1 + offersToStart(story).filter(({ ts }) => story.pressed.has(ts)).length;
  if (made > allowed) {
    findings.push({ kind: 'doubled', what: `${made} create calls, though only ${allowed} were asked for` });
  }
  return findings;
}

const ALONG = '\n\nReplies in the Slack thread:\n';

/** A prompt without the replies that go along with it, if they are as they were written; else as it is. */
function withoutReplies(prompt: string, { replies }: StoryEvidence): string {
  const [request = '', along] = prompt.split(ALONG);
  if (along === undefined) return prompt;
  const numbers = repliesIn(along);
  const texts = replies.filter(({ number }) => numbers.includes(number)).toSorted(byTime);
  const lines = along.split('\n').map((line) => line.replace(/^(?:@\S+|<@\w+>): /, ''));
  return lines.join('\n') === texts.map(({ text }) => text).join('\n') ? request : prompt;
}

function isWhatWasAsked({ prompt, context }: Asked, given: string): boolean {
  if (context === null) return given === prompt;
  return given.startsWith(`${prompt}\n\nContext from the Slack thread`) && given.includes(context);
}

/** *Start again*. */
function offersToStart({ posts }: StoryEvidence): SlackMessage[] {
  return [...ofKind(posts, 'create_unknown'), ...posts.filter(({ text }) => text.includes('*Failed'))];
}

/** The agent job that the thread shows: the last one whose making was answered. Null: there is none. */
export function watchedJobOf({ creates }: StoryEvidence): string | null {
  return creates.findLast(({ answer }) => answer === 'accepted')?.agentJobId ?? null;
}
