import type { Kill } from './lives.ts';
import type { StoryName } from './stories.ts';

/** What is promised of a kill at a fail point, in the words of docs/reliability.md. */
export type Promised = 'once' | 'ask_again' | 'look' | 'unknown' | 'tell_again' | 'drop';

/** A commit or an outward call at which the program is killed: before it, and in the next life after it. */
export interface FailPoint {
  /** A commit is named after what its transaction did, and after the calls that it wants. */
  readonly at: string;
  readonly kind: 'commit' | 'call';
  /** What goes on meanwhile. */
  readonly story: StoryName;
  /** For what happens only after another crash: that one. */
  readonly crashed: Kill | null;
  /** Killed before it, the next process does something else in its place. */
  readonly isPassing: boolean;
  /** Promised of a kill before it, and after it. */
  readonly before: Promised;
  readonly after: Promised;
}

type Row = readonly [at: string, before: Promised, after: Promised];

const after = (at: string): Kill => ({ at, when: 'after', nth: 1 });
const before = (at: string): Kill => ({ at, when: 'before', nth: 1 });
const points =
  (kind: FailPoint['kind'], isPassing = false) =>
  (story: StoryName, crashed: Kill | null, rows: readonly Row[]) =>
    rows.map(([at, before, after]): FailPoint => ({ kind, story, crashed, isPassing, at, before, after }));
const commits = points('commit');
const passingCommits = points('commit', true);
const calls = points('call');
const passingCalls = points('call', true);

export const failPoints: readonly FailPoint[] = [
  ...commits('failure', null, [
    ['store command → post_card', 'ask_again', 'once'],
    ['claim post_to_slack', 'once', 'once'],
    ['start post_card', 'once', 'look'],
    ['claim call_agent', 'once', 'once'],
    ['start create_job', 'once', 'unknown'],
    ['done create_job → started', 'unknown', 'once'],
    ['start announce', 'once', 'look'],
    ['claim refresh_card', 'once', 'once'],
    ['draw card, end refresh_card', 'once', 'once'],
    ['claim check_job', 'once', 'once'],
    ['end check_job → turn_ended, notify_channel', 'once', 'once'],
    ['start notify_channel', 'once', 'look'],
    ['end check_job → failed', 'once', 'once'],
    ['claim check_ended_job', 'once', 'once'],
    ['store press → create_job', 'ask_again', 'once'],
    ['claim refresh_posts', 'once', 'once'],
    ['end refresh_posts', 'once', 'once'],
  ]),
  ...passingCommits('failure', null, [
    ['done post_card → create_job', 'look', 'once'],
    ['done announce', 'look', 'once'],
    ['done notify_channel', 'look', 'once'],
  ]),
  ...commits('replies', null, [
    ['store reply', 'once', 'once'],
    ['claim refresh_receipts', 'once', 'once'],
    ['try receipts', 'once', 'once'],
    ['receipt shown, end refresh_receipts', 'once', 'once'],
    ['claim send_follow_ups', 'once', 'once'],
    ['end send_follow_ups → send_message', 'once', 'once'],
    ['start send_message', 'once', 'unknown'],
    ['done send_message', 'unknown', 'once'],
    ['end check_job', 'once', 'once'],
    ['put off refresh_card', 'once', 'once'],
  ]),
  // The service knows repeated calls by their keys: nothing is unknown.
  ...commits('stopped', null, [
    ['start send_message', 'once', 'once'],
    ['done send_message', 'once', 'once'],
    ['store press → cancel_job', 'ask_again', 'once'],
    ['start cancel_job', 'once', 'once'],
  ]),
  // Killed before it, the next process may learn from the job itself that it was stopped.
  ...passingCommits('stopped', null, [['done cancel_job → stopped', 'once', 'once']]),
  ...calls('stopped', null, [
    ['POST message', 'once', 'once'],
    ['POST cancel', 'once', 'once'],
  ]),
  ...commits('edit', null, [
    ['store edit', 'once', 'once'],
    ['retry create_job, put off call_agent', 'unknown', 'once'],
    ['end check_job → turn_ended', 'once', 'once'],
  ]),
  ...commits('mute', null, [['put off unchanged checks', 'once', 'once']]),
  ...passingCommits('mute', null, [['store reply → muted', 'once', 'once']]),
  ...passingCommits('edit', null, [
    ['store edit → ephemeral', 'once', 'once'],
    ['start ephemeral', 'once', 'drop'],
    ['done ephemeral', 'drop', 'once'],
  ]),
  ...passingCalls('edit', null, [['chat.postEphemeral (hint)', 'drop', 'drop']]),
  ...commits('refusal', null, [
    ['failed post_card → notify_requester', 'look', 'once'],
    ['start notify_requester', 'once', 'tell_again'],
    ['done notify_requester', 'tell_again', 'once'],
  ]),
  ...calls('refusal', null, [
    ['auth.test', 'once', 'once'],
    ['apps.connections.open', 'once', 'once'],
    ['users.info', 'once', 'once'],
    ['POST response_url', 'tell_again', 'tell_again'],
  ]),
  ...calls('failure', null, [
    ['chat.postMessage (card)', 'look', 'look'],
    ['chat.postMessage (thread)', 'look', 'look'],
    ['chat.postMessage (notice)', 'look', 'look'],
    ['conversations.info', 'once', 'once'],
    ['chat.update', 'once', 'once'],
    ['POST job', 'unknown', 'unknown'],
    ['GET job', 'once', 'once'],
  ]),
  ...calls('replies', null, [
    ['POST message', 'unknown', 'unknown'],
    ['agents.sessions.setStatus', 'once', 'once'],
    ['reactions.add', 'once', 'once'],
    ['reactions.remove', 'once', 'once'],
  ]),
  ...commits('mention', null, [['store message → post_card', 'once', 'once']]),
  ...passingCommits('mention', null, [['done create_job', 'unknown', 'once']]),
  ...calls('mention', null, [['chat.postMessage (card in a thread)', 'look', 'look']]),
  ...commits('workflow', null, [
    ['store step → post_card', 'once', 'once'],
    ['end check_job → turn_ended, complete_step', 'once', 'once'],
    ['claim complete_step', 'once', 'once'],
    ['start complete_step', 'once', 'once'],
    ['done complete_step', 'once', 'once'],
  ]),
  ...calls('workflow', null, [['functions.completeSuccess', 'once', 'once']]),
  ...commits('schedules', null, [
    ['plan post_digest, plan start_recipe', 'once', 'once'],
    ['claim start_recipe', 'once', 'once'],
    ['note the recipe, serve the moment, put off start_recipe → post_card', 'once', 'once'],
    ['claim post_digest', 'once', 'once'],
    ['start post_digest', 'once', 'look'],
    ['serve the moment, put off post_digest', 'look', 'once'],
  ]),
  ...calls('schedules', null, [['chat.postMessage (digest)', 'look', 'look']]),
  ...commits('webhook', null, [['note the recipe, answer the webhook → post_card', 'ask_again', 'once']]),
  ...commits('run', null, [['store command, note the recipe → post_card', 'ask_again', 'once']]),
  ...commits('marked', null, [
    ['plan look_at_marks', 'once', 'once'],
    ['claim look_at_marks', 'once', 'once'],
    ['put off look_at_marks', 'once', 'once'],
    ['store mark, end look_at_marks → draft', 'once', 'once'],
    ['start draft', 'once', 'look'],
    ['store press → post_card of a draft', 'ask_again', 'once'],
  ]),
  ...passingCommits('marked', null, [['done draft', 'look', 'once']]),
  ...calls('marked', null, [
    ['reactions.get', 'once', 'once'],
    ['chat.getPermalink', 'once', 'once'],
    ['conversations.replies', 'once', 'once'],
    ['chat.postMessage (draft)', 'look', 'look'],
  ]),
  ...commits('markedAgain', null, [
    ['end look_at_marks', 'once', 'once'],
    ['end look_at_marks → another draft', 'once', 'once'],
    ['store form → post_card of a draft', 'ask_again', 'once'],
  ]),
  ...commits('dropped', null, [
    ['store press', 'ask_again', 'once'],
    ['claim expire_draft', 'once', 'once'],
    ['end expire_draft', 'once', 'once'],
  ]),
  ...commits('direct', null, [
    ['claim read_snippets', 'once', 'once'],
    ['read_snippets → create_job', 'once', 'once'],
    ['end read_snippets', 'once', 'once'],
  ]),
  ...passingCommits('direct', null, [['done post_card', 'look', 'once']]),
  ...calls('direct', null, [['GET snippet', 'once', 'once']]),
  ...commits('merge', null, [
    ['claim look_at_pull_request', 'once', 'once'],
    ['put off look_at_pull_request → reminder', 'once', 'once'],
    ['end look_at_pull_request → pull_request_over', 'once', 'once'],
    ['claim refresh_notice', 'once', 'once'],
    ['end refresh_notice', 'once', 'once'],
  ]),
  ...passingCommits('merge', null, [['put off look_at_pull_request', 'once', 'once']]),
  ...calls('merge', null, [['GET pull request', 'once', 'once']]),
  ...commits('again', null, [
    ['store message → notify_requester', 'once', 'once'],
    ['store press → post_card', 'ask_again', 'once'],
  ]),
  ...calls('again', null, [['chat.postEphemeral (question)', 'tell_again', 'tell_again']]),
  ...commits('forms', null, [
    ['store form → post_card', 'ask_again', 'once'],
    ['store form → follow_up', 'ask_again', 'once'],
  ]),
  ...calls('forms', null, [['views.open', 'ask_again', 'once']]),
  ...commits('review', null, [
    ['put off look_at_pull_request → review_news, review_news, review_news', 'once', 'once'],
    ['store form → follow_up', 'ask_again', 'once'],
  ]),
  ...calls('review', null, [
    ['chat.postMessage (thread)', 'look', 'look'],
    ['GET profile', 'once', 'once'],
  ]),
  ...commits('editAndStart', null, [
    ['failed create_job → create_rejected', 'unknown', 'once'],
    ['store form → create_job', 'ask_again', 'once'],
  ]),
  ...passingCommits('thread', null, [
    ['store answered mention', 'tell_again', 'once'],
    ['until the card is known', 'once', 'once'],
    ['take in early replies, store reply, done post_card → create_job', 'look', 'once'],
  ]),
  ...calls('thread', null, [['views.update', 'ask_again', 'once']]),
  ...commits('settings', null, [['store form, save settings', 'ask_again', 'once']]),
  ...commits('watch', null, [
    ['end check_job → started', 'once', 'once'],
    ['count a look-up', 'ask_again', 'ask_again'],
    ['open home', 'once', 'once'],
    ['claim refresh_home', 'once', 'once'],
    ['end refresh_home', 'once', 'once'],
  ]),
  ...calls('watch', null, [['views.publish', 'once', 'once']]),
  // What a restart brings about.
  ...commits('failure', before('done post_card → create_job'), [
    ['done post_card, plan catch_up → create_job', 'look', 'once'],
  ]),
  ...commits('direct', before('done post_card'), [['done post_card, plan catch_up', 'look', 'once']]),
  ...commits('failure', before('done announce'), [['done announce, plan catch_up', 'look', 'once']]),
  ...commits('markedAgain', before('done draft'), [['done draft, plan catch_up', 'look', 'once']]),
  ...commits('failure', before('done notify_channel'), [
    ['done notify_channel, plan catch_up', 'look', 'once'],
  ]),
  ...calls('failure', after('chat.postMessage (card)'), [['conversations.history', 'look', 'look']]),
  ...commits('failure', after('chat.postMessage (notice)'), [
    ['plan catch_up', 'once', 'once'],
    ['claim catch_up', 'once', 'once'],
    ['end catch_up', 'once', 'once'],
  ]),
  ...calls('failure', after('chat.postMessage (notice)'), [['conversations.replies', 'once', 'once']]),
  ...commits('replies', before('store reply'), [['store reply, end catch_up', 'once', 'once']]),
  ...commits('missed', before('store reply'), [
    ['put off catch_up', 'once', 'once'],
    ['put off send_follow_ups', 'once', 'once'],
  ]),
  ...passingCommits('unknownCard', after('chat.postMessage (card)'), [
    ['until the card is known', 'once', 'once'],
  ]),
  ...commits('unknownCard', after('chat.postMessage (card)'), [
    ['take in early replies, store reply, done post_card, plan catch_up → create_job', 'look', 'once'],
  ]),
  ...commits('replies', after('start post_card'), [
    ['put off post_to_slack', 'look', 'look'],
    ['retry post_card', 'look', 'once'],
  ]),
  ...commits('schedules', after('chat.postMessage (digest)'), [['put off post_digest', 'look', 'look']]),
  ...commits('replies', after('start announce'), [['retry announce', 'look', 'once']]),
  ...commits('marked', after('start draft'), [['retry draft', 'look', 'once']]),
  ...commits('replies', after('start notify_channel'), [['retry notify_channel', 'look', 'once']]),
  ...commits('refusal', after('start notify_requester'), [['retry notify_requester', 'tell_again', 'once']]),
  ...passingCommits('edit', after('start ephemeral'), [['failed ephemeral', 'drop', 'once']]),
  ...commits('replies', after('start create_job'), [
    ['unknown create_job → create_unknown', 'unknown', 'unknown'],
  ]),
  ...commits('schedules', after('start create_job'), [
    ['unknown create_job, note the recipe → create_unknown', 'unknown', 'unknown'],
    ['note the recipe, end check_job → turn_ended', 'once', 'once'],
  ]),
  ...commits('watchNamed', after('POST job'), [['store form', 'ask_again', 'once']]),
  ...commits('replies', after('start send_message'), [
    ['unknown send_message → message_unknown', 'unknown', 'unknown'],
    ['store press', 'unknown', 'unknown'],
  ]),
];

/** What only timing brings about: the same as another fail point, with nothing left to do or with one refresh more. */
export const rareCommits: readonly string[] = [
  // A button was pressed before the outcome of the post that shows it was stored.
  'done announce, plan refresh_posts',
  'done announce, plan refresh_posts, plan catch_up',
  'done draft, plan refresh_posts',
  'done draft, plan refresh_posts, plan catch_up',
  // A code host was quicker than Slack.
  'done notify_channel, plan refresh_notice',
  'done notify_channel, plan refresh_notice, plan catch_up',
  'end refresh_receipts',
  'end send_follow_ups',
  'end post_to_slack',
  'end call_agent',
  'end check_ended_job',
];
