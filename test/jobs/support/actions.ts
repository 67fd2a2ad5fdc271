import type { AgentFailure, AgentJob } from '../../../src/jobs/agent-job.ts';
import type { JobEvent } from '../../../src/jobs/event.ts';
import type { PullRequestFacts } from '../../../src/jobs/pull-requests/pull-request.ts';
import { anAgentJob } from './builders.ts';
import type { World } from './world.ts';

/** How a reply begins that is kept between people. */
export const ASIDE = 'aside ';

/** Anything that people, Slack, the API and the clock may do to a job. */
export type Action =
  /** `isLate`: Slack delivers it later, perhaps after younger ones. */
  | {
      readonly do: 'reply';
      readonly text: string;
      readonly userId: string;
      readonly mentionsBot: boolean;
      readonly isLate: boolean;
    }
  /** A person writes in the form behind *Reply to it*, and the thread shows it. */
  | { readonly do: 'fill_in'; readonly text: string; readonly userId: string }
  /** `isLate`: as for a reply. `flip`: makes an aside of a reply, or the other way round. */
  | { readonly do: 'edit' | 'remove' | 'flip'; readonly pick: number; readonly isLate: boolean }
  /** Slack delivers something that it has held back. */
  | { readonly do: 'tell'; readonly pick: number }
  | { readonly do: 'wait'; readonly ms: number }
  /** The clock jumps, and nothing runs on the way. */
  | { readonly do: 'jump'; readonly ms: number }
  | { readonly do: 'card'; readonly refused: boolean }
  | { readonly do: 'card_delayed' }
  | { readonly do: 'agent_takes'; readonly described: boolean }
  /** `isTaken`: the API took the request, if the failure leaves that open. */
  | { readonly do: 'agent_fails'; readonly failure: AgentFailure; readonly isTaken: boolean }
  | { readonly do: 'get_says'; readonly answer: Partial<AgentJob> | AgentFailure }
  | { readonly do: 'check' }
  | { readonly do: 'send_due' }
  /** The code host is asked about the pull request that was announced last. */
  | { readonly do: 'look'; readonly facts: PullRequestFacts }
  | { readonly do: 'press'; readonly button: PressedButton; readonly pick: number }
  | { readonly do: 'repeat'; readonly pick: number }
  | { readonly do: 'irrelevant'; readonly event: JobEvent };

type ReminderButton = 'remind_again' | 'no_more_reminders';
type WatchButton = 'keep_watching' | 'stop_watching' | 'resume_watching';
type PressedButton =
  | 'start_again'
  | 'start_unclear_again'
  | 'edit_and_start'
  | 'watch_it'
  | 'resend'
  | 'resend_all'
  | 'send_correction'
  | 'send_anyway'
  | 'send_now'
  | 'try_again'
  | ReminderButton
  | WatchButton;

/** Does it, if it can be done now. */
export function act(world: World, action: Action): void {
  switch (action.do) {
    case 'reply':
      // Before the card there is no thread to reply in.
      if (world.job.threadTs === null) break;
      world.thread.write(numbered(world, action.text), action);
      if (!action.isLate) world.tell(world.thread.untold.length - 1);
      break;
    case 'fill_in':
      if (world.job.agentJob !== null) world.fillIn(numbered(world, action.text), action.userId);
      break;
    case 'edit':
      world.thread.edit(action.pick, (text) => `${text}!`);
      if (!action.isLate) world.tell(world.thread.untold.length - 1);
      break;
    case 'flip':
      world.thread.edit(action.pick, (text) =>
        text.startsWith(ASIDE) ? text.slice(ASIDE.length) : ASIDE + text,
      );
      if (!action.isLate) world.tell(world.thread.untold.length - 1);
      break;
    case 'remove':
      world.thread.remove(action.pick);
      if (!action.isLate) world.tell(world.thread.untold.length - 1);
      break;
    case 'tell':
      world.tell(action.pick % world.thread.untold.length);
      break;
    case 'card_delayed':
      if (world.open('post_card').length > 0) world.apply({ type: 'card_delayed', reason: 'missing_scope' });
      break;
    case 'wait':
      world.advance(action.ms);
      break;
    case 'jump':
      world.nowMs += action.ms;
      break;
    case 'card':
      if (world.open('post_card').length === 0) break;
      if (action.refused) world.cardRefused();
      else world.cardPosted();
      break;
    case 'agent_takes':
      agentTakes(world, action.described);
      break;
    case 'agent_fails':
      if (world.open('create_job').length > 0) world.createFails(action.failure, action.isTaken);
      else if (world.open('send_message').length > 0) world.messageFails(action.failure, action.isTaken);
      break;
    case 'get_says':
      world.answer = 'outcome' in action.answer ? action.answer : anAgentJob(action.answer);
      break;
    case 'check':
      if (world.tasks.has('check_job')) world.check();
      break;
    case 'send_due':
      world.sendDue();
      break;
    case 'look':
      if (world.job.announcedPrLink === null) break;
      world.apply({ type: 'pull_request_seen', url: world.job.announcedPrLink, facts: action.facts });
      break;
    case 'press':
      press(world, action.button, action.pick);
      break;
    case 'repeat':
      repeat(world, action.pick);
      break;
    case 'irrelevant':
      world.apply(action.event);
      break;
  }
}

/** So that no two are the same. What cannot be sent stays so. */
function numbered(world: World, text: string): string {
  return text.startsWith('x') ? `#${world.thread.size + 1} ${text}` : text;
}

function agentTakes(world: World, described: boolean): void {
  if (world.open('create_job').length > 0) world.created({ id: `agent-${world.job.creates}` });
  else if (world.open('send_message').length > 0) world.accepted(described ? asDescribed(world) : null);
}

/** The job as the API would describe it now, if it could. */
function asDescribed({ answer, job }: World): AgentJob | null {
  return 'reason' in answer || job.agentJob === null ? null : { ...answer, id: job.agentJob.id };
}

/** Any button that was ever shown. */
function press(world: World, button: PressedButton, pick: number): void {
  const news = world.told.filter((one) => 'callId' in one);
  const unclear = news.filter(({ kind }) => kind === 'create_unknown');
  const callIdOf = (ones: typeof news) => ones[pick % ones.length]?.callId ?? 'none';
  const callId = callIdOf(news);
  const { messages, cards, creates, watchQuestions } = world.job;
  const userId = 'U5';
  const messageTs = world.thread.timestampOf(pick) ?? 'none';
  switch (button) {
    case 'start_again':
      world.apply({ type: 'start_again_pressed', creates, callId: pick % 2 === 0 ? callId : undefined });
      break;
    case 'start_unclear_again':
      world.apply({ type: 'start_again_pressed', callId: callIdOf(unclear) });
      break;
    case 'edit_and_start':
      world.apply({ type: 'request_edited', creates, prompt: 'Document the limits of the API', userId });
      break;
    case 'watch_it':
      world.apply({
        type: 'agent_job_named',
        callId: callIdOf(unclear),
        agentJobId: `agent-${creates}`,
        userId,
      });
      break;
    case 'resend':
      world.apply({ type: 'resend_pressed', callId, userId });
      break;
    case 'resend_all':
      world.apply({ type: 'resend_pressed', callId: null, userId });
      break;
    case 'send_correction':
      world.apply({ type: 'correction_pressed', messageTs });
      break;
    case 'send_anyway':
      world.apply({ type: 'send_anyway_pressed', messageTs });
      break;
    case 'remind_again':
    case 'no_more_reminders':
      world.apply({ type: `${button}_pressed`, reminderId: reminderOf(world, pick), userId });
      break;
    case 'send_now':
      world.apply({ type: 'send_now_pressed', message: messages + (pick % 2) });
      break;
    case 'try_again':
      world.apply({ type: 'try_again_pressed', cards: cards - (pick % 2), responseUrl: null });
      break;
    default:
      world.apply({ type: `${button}_pressed`, question: watchQuestions - (pick % 2) });
  }
}

function reminderOf({ told }: World, pick: number): string {
  const reminders = told.flatMap((one) => (one.kind === 'reminder' ? [one.reminderId] : []));
  return reminders[pick % reminders.length] ?? 'none';
}

/** What cannot come again: a request is remembered, a call's lease is gone by its outcome, and a check reads again. */
const onceOnly = [
  'reply_received',
  'follow_up_written',
  'job_created',
  'create_failed',
  'job_checked',
  'check_failed',
];

/** Any other earlier event is delivered again. */
function repeat(world: World, pick: number): void {
  const again = world.events.filter(({ type }) => !onceOnly.includes(type));
  const event = again[pick % again.length];
  if (event !== undefined) world.apply(event);
}
