import type { Kill } from './lives.ts';
import type { StoryName } from './stories.ts';

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
}

const after = (at: string): Kill => ({ at, when: 'after', nth: 1 });
const before = (at: string): Kill => ({ at, when: 'before', nth: 1 });
const points =
  (kind: FailPoint['kind'], isPassing = false) =>
  (story: StoryName, crashed: Kill | null, names: readonly string[]) =>
    names.map((at): FailPoint => ({ kind, story, crashed, isPassing, at }));
const commits = points('commit');
const passingCommits = points('commit', true);
const calls = points('call');
const passingCalls = points('call', true);

export const failPoints: readonly FailPoint[] = [
  ...commits('failure', null, [
    'store command → post_card',
    'claim post_to_slack',
    'start post_card',
    'claim call_agent',
    'start create_job',
    'done create_job → started',
    'start announce',
    'claim refresh_card',
    'draw card, end refresh_card',
    'claim check_job',
    'end check_job → turn_ended, notify_channel',
    'start notify_channel',
    'end check_job → failed',
    'claim check_ended_job',
    'store press → create_job',
    'claim refresh_posts',
    'end refresh_posts',
  ]),
  ...passingCommits('failure', null, ['done post_card → create_job', 'done announce', 'done notify_channel']),
  ...commits('replies', null, [
    'store reply',
    'claim refresh_receipts',
    'try receipts',
    'receipt shown, end refresh_receipts',
    'claim send_follow_ups',
    'end send_follow_ups → send_message',
    'start send_message',
    'done send_message',
    'end check_job',
    'put off refresh_card',
  ]),
  // The service knows repeated calls by their keys: nothing is unknown.
  ...commits('stopped', null, [
    'start send_message',
    'done send_message',
    'store press → cancel_job',
    'start cancel_job',
  ]),
  // Killed before it, the next process may learn from the job itself that it was stopped.
  ...passingCommits('stopped', null, ['done cancel_job → stopped']),
  ...calls('stopped', null, ['POST message', 'POST cancel']),
  ...commits('edit', null, [
    'store edit',
    'retry create_job, put off call_agent',
    'end check_job → turn_ended',
  ]),
  ...commits('mute', null, ['put off unchanged checks']),
  ...passingCommits('mute', null, ['store reply → muted']),
  ...passingCommits('edit', null, ['store edit → ephemeral', 'start ephemeral', 'done ephemeral']),
  ...passingCalls('edit', null, ['chat.postEphemeral (hint)']),
  ...commits('refusal', null, [
    'failed post_card → notify_requester',
    'start notify_requester',
    'done notify_requester',
  ]),
  ...calls('refusal', null, ['auth.test', 'apps.connections.open', 'users.info', 'POST response_url']),
  ...calls('failure', null, [
    'chat.postMessage (card)',
    'chat.postMessage (thread)',
    'chat.postMessage (notice)',
    'conversations.info',
    'chat.update',
    'POST job',
    'GET job',
  ]),
  ...calls('replies', null, [
    'POST message',
    'agents.sessions.setStatus',
    'reactions.add',
    'reactions.remove',
  ]),
  ...commits('mention', null, ['store message → post_card']),
  ...passingCommits('mention', null, ['done create_job']),
  ...calls('mention', null, ['chat.postMessage (card in a thread)']),
  ...commits('workflow', null, [
    'store step → post_card',
    'end check_job → turn_ended, complete_step',
    'claim complete_step',
    'start complete_step',
    'done complete_step',
  ]),
  ...calls('workflow', null, ['functions.completeSuccess']),
  ...commits('schedules', null, [
    'plan post_digest, plan start_recipe',
    'claim start_recipe',
    'note the recipe, serve the moment, put off start_recipe → post_card',
    'claim post_digest',
    'start post_digest',
    'serve the moment, put off post_digest',
  ]),
  ...calls('schedules', null, ['chat.postMessage (digest)']),
  ...commits('webhook', null, ['note the recipe, answer the webhook → post_card']),
  ...commits('run', null, ['store command, note the recipe → post_card']),
  ...commits('marked', null, [
    'plan look_at_marks',
    'claim look_at_marks',
    'put off look_at_marks',
    'store mark, end look_at_marks → draft',
    'start draft',
    'store press → post_card of a draft',
  ]),
  ...passingCommits('marked', null, ['done draft']),
  ...calls('marked', null, [
    'reactions.get',
    'chat.getPermalink',
    'conversations.replies',
    'chat.postMessage (draft)',
  ]),
  ...commits('markedAgain', null, [
    'end look_at_marks',
    'end look_at_marks → another draft',
    'store form → post_card of a draft',
  ]),
  ...commits('dropped', null, ['store press', 'claim expire_draft', 'end expire_draft']),
  ...commits('direct', null, ['claim read_snippets', 'read_snippets → create_job', 'end read_snippets']),
  ...passingCommits('direct', null, ['done post_card']),
  ...calls('direct', null, ['GET snippet']),
  ...commits('merge', null, [
    'claim look_at_pull_request',
    'put off look_at_pull_request → reminder',
    'end look_at_pull_request → pull_request_over',
    'claim refresh_notice',
    'end refresh_notice',
  ]),
  ...passingCommits('merge', null, ['put off look_at_pull_request']),
  ...calls('merge', null, ['GET pull request']),
  ...commits('again', null, ['store message → notify_requester', 'store press → post_card']),
  ...calls('again', null, ['chat.postEphemeral (question)']),
  ...commits('forms', null, ['store form → post_card', 'store form → follow_up']),
  ...calls('forms', null, ['views.open']),
  ...commits('review', null, [
    'put off look_at_pull_request → review_news, review_news, review_news',
    'store form → follow_up',
  ]),
  ...calls('review', null, ['chat.postMessage (thread)', 'GET profile']),
  ...commits('editAndStart', null, ['failed create_job → create_rejected', 'store form → create_job']),
  ...passingCommits('thread', null, [
    'store answered mention',
    'until the card is known',
    'take in early replies, store reply, done post_card → create_job',
  ]),
  ...calls('thread', null, ['views.update']),
  ...commits('settings', null, ['store form, save settings']),
  ...commits('watch', null, [
    'end check_job → started',
    'count a look-up',
    'open home',
    'claim refresh_home',
    'end refresh_home',
  ]),
  ...calls('watch', null, ['views.publish']),
  // What a restart brings about.
  ...commits('failure', before('done post_card → create_job'), [
    'done post_card, plan catch_up → create_job',
  ]),
  ...commits('direct', before('done post_card'), ['done post_card, plan catch_up']),
  ...commits('failure', before('done announce'), ['done announce, plan catch_up']),
  ...commits('markedAgain', before('done draft'), ['done draft, plan catch_up']),
  ...commits('failure', before('done notify_channel'), ['done notify_channel, plan catch_up']),
  ...calls('failure', after('chat.postMessage (card)'), ['conversations.history']),
  ...commits('failure', after('chat.postMessage (notice)'), [
    'plan catch_up',
    'claim catch_up',
    'end catch_up',
  ]),
  ...calls('failure', after('chat.postMessage (notice)'), ['conversations.replies']),
  ...commits('replies', before('store reply'), ['store reply, end catch_up']),
  ...commits('missed', before('store reply'), ['put off catch_up', 'put off send_follow_ups']),
  ...passingCommits('unknownCard', after('chat.postMessage (card)'), ['until the card is known']),
  ...commits('unknownCard', after('chat.postMessage (card)'), [
    'take in early replies, store reply, done post_card, plan catch_up → create_job',
  ]),
  ...commits('replies', after('start post_card'), ['put off post_to_slack', 'retry post_card']),
  ...commits('schedules', after('chat.postMessage (digest)'), ['put off post_digest']),
  ...commits('replies', after('start announce'), ['retry announce']),
  ...commits('marked', after('start draft'), ['retry draft']),
  ...commits('replies', after('start notify_channel'), ['retry notify_channel']),
  ...commits('refusal', after('start notify_requester'), ['retry notify_requester']),
  ...passingCommits('edit', after('start ephemeral'), ['failed ephemeral']),
  ...commits('replies', after('start create_job'), ['unknown create_job → create_unknown']),
  ...commits('schedules', after('start create_job'), [
    'unknown create_job, note the recipe → create_unknown',
    'note the recipe, end check_job → turn_ended',
  ]),
  ...commits('watchNamed', after('POST job'), ['store form']),
  ...commits('replies', after('start send_message'), [
    'unknown send_message → message_unknown',
    'store press',
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
