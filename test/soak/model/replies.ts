import { repliesIn } from '../texts.ts';
import type { Attempt } from '../world/agent-front.ts';
import type { Finding, StoryEvidence, Written } from './evidence.ts';
import { followUpsIn, isStop, ofKind, repeated } from './posts.ts';

const ACCEPTED = 'white_check_mark';
const NOT_SENT = 'warning';
const KEPT_OUT = 'speech_balloon';

/** Each reply reaches the agent once, in order; twice only after it was shown as unknown. */
export function judgeReplies(story: StoryEvidence): Finding[] {
  // To a request that was not taken, nothing is a reply; if it was, its missing card is found.
  if (story.cards.length === 0) return [];
  const made = callsWithReplies(story).filter(({ answer }) => answer !== 'refused');
  return [
    ...story.messages.flatMap((attempt) => judgeText(story, attempt)),
    ...story.replies.flatMap((reply) => judgeReceipt(story, reply, made)),
    ...story.asides.flatMap((aside) => judgeAside(story, aside)),
    ...judgeForms(story),
    ...judgeUnclear(story, made),
    ...judgeOrder(story, made),
  ];
}

/** Those of messages, and of creates with which the replies below a draft go along. */
function callsWithReplies({ creates, messages }: StoryEvidence): Attempt[] {
  const along = creates.filter(({ prompt }) => repliesIn(prompt).length > 0);
  return [...along, ...messages].toSorted((a, b) => a.atMs - b.atMs);
}

/** A message to the agent is the texts of its replies, in the order of their timestamps, as they were written. */
function judgeText({ replies }: StoryEvidence, { prompt }: Attempt): Finding[] {
  const numbers = repliesIn(prompt);
  const texts = replies
    .filter(({ number }) => numbers.includes(number))
    .toSorted(byTime)
    .map(({ text }) => text);
  return texts.join('\n\n') === prompt ? [] : [{ kind: 'unexpected', what: `the agent got: ${prompt}` }];
}

function judgeReceipt(
  story: StoryEvidence,
  { number, ts, isSure }: Written,
  made: readonly Attempt[],
): Finding[] {
  if (ts === '' && !isSure) return [];
  const receipts = story.receipts.get(ts) ?? [];
  const receipt = receipts.join();
  if (receipt === ACCEPTED) {
    const isTaken = made.some(({ prompt, isTaken }) => isTaken && repliesIn(prompt).includes(number));
    return isTaken ? [] : [{ kind: 'lost', what: `R${number} has ✅, but the agent never got it` }];
  }
  // What waited when somebody stopped the turn is offered with the end.
  const left = story.posts.filter(({ text }) => text.includes('may not be included'));
  const offers = [...ofKind(story.posts, 'message_unknown'), ...left].filter(
    ({ ts }) => !story.pressed.has(ts),
  );
  if (receipt === NOT_SENT && offers.length > 0) return [];
  return [{ kind: 'lost', what: `R${number} has the receipt "${receipt}"` }];
}

/** It is shown to be kept between people. That no message to the agent had it is seen by its texts. */
function judgeAside({ receipts }: StoryEvidence, { number, ts }: Written): Finding[] {
  const receipt = (receipts.get(ts) ?? []).join();
  return receipt === KEPT_OUT
    ? []
    : [{ kind: 'lost', what: `the aside R${number} has the receipt "${receipt}"` }];
}

/** What was written in a form is shown in the thread once. */
function judgeForms({ posts }: StoryEvidence): Finding[] {
  const shown = ofKind(posts, 'written_in_form').flatMap(({ text }) => repliesIn(text));
  return repeated(shown).map((number) => ({ kind: 'doubled', what: `R${number} is shown twice` }));
}

/** Every call whose outcome was unclear, and every call that was made again, was shown to be unknown. */
function judgeUnclear(story: StoryEvidence, made: readonly Attempt[]): Finding[] {
  const shown = ofKind(story.posts, 'message_unknown').map(followUpsIn);
  const areCreatesShown = ofKind(story.posts, 'create_unknown').length > 0;
  return made.flatMap((attempt): Finding[] => {
    if (!isUncertain(attempt, made)) return [];
    // Whether each of them is shown is judged with the starts.
    if (attempt.kind === 'create' && areCreatesShown) return [];
    const found = shown.indexOf(repliesIn(attempt.prompt).length);
    if (found >= 0) {
      shown.splice(found, 1);
      return [];
    }
    const { answer, prompt } = attempt;
    return answer === 'accepted'
      ? [{ kind: 'doubled', what: `sent again, though nothing was unknown: ${prompt}` }]
      : [{ kind: 'lost', what: `unknown, and not shown: ${prompt}` }];
  });
}

function isUncertain(attempt: Attempt, made: readonly Attempt[]): boolean {
  if (attempt.answer === 'unclear') return true;
  const replies = repliesIn(attempt.prompt);
  const later = made.slice(made.indexOf(attempt) + 1);
  return later.some(({ prompt }) => repliesIn(prompt).some((number) => replies.includes(number)));
}

/**
 * A reply that was acknowledged before the next one was written reaches the agent before it. What was shown as
 * unknown, and sent again, comes later.
 */
function judgeOrder({ replies, posts }: StoryEvidence, made: readonly Attempt[]): Finding[] {
  // What waited then is sent again later, or not at all.
  if (posts.some(isStop)) return [];
  const uncertain = made.filter((attempt) => isUncertain(attempt, made));
  // A process may have died before its call went out; it is unknown outside which replies that was about.
  const uncertainMessages = uncertain.filter(({ kind }) => kind === 'message');
  if (ofKind(posts, 'message_unknown').length > uncertainMessages.length) return [];
  const excused = new Set(uncertain.flatMap(({ prompt }) => repliesIn(prompt)));
  const arrived = made.filter(({ isTaken }) => isTaken).flatMap(({ prompt }) => repliesIn(prompt));
  const ordered = replies.filter(({ number }) => arrived.includes(number)).toSorted(byTime);
  return ordered.flatMap((later, index) =>
    ordered
      .slice(0, index)
      .filter(({ number, acknowledgedAtMs }) => {
        const wasKnown = acknowledgedAtMs !== null && acknowledgedAtMs < Number(later.ts) * 1000;
        const isOvertaken = arrived.indexOf(number) > arrived.indexOf(later.number);
        return wasKnown && isOvertaken && !excused.has(number);
      })
      .map(({ number }): Finding => ({ kind: 'reordered', what: `R${later.number} overtook R${number}` })),
  );
}

export function byTime(a: Written, b: Written): number {
  return Number(a.ts) - Number(b.ts);
}
