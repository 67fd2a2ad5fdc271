import type { Announcement, NewLink, TurnEnded } from '../../../../src/jobs/announcement.ts';
import type { Job, Stage } from '../../../../src/jobs/job.ts';
import type { PullRequestNews, SeenPullRequest } from '../../../../src/jobs/pull-requests/pull-request.ts';
import { fileKinds } from '../../../../src/jobs/requests/attachments.ts';
import type { SlackFacts } from '../../../../src/slack/views/home.ts';
import { fc } from '../../../support/properties.ts';
import { anyCharacter } from '../../any-character.ts';
import { aJob, aTrouble } from '../a-job.ts';

/** Names that people gave themselves. */
export const names = new Map([['U2', '<!channel> \u202eevil\n\n\n*Finished*']]);

const WORDS =
  '<!channel> <!here|x> <!subteam^S1> <@U1> <@U2> <#C1|general> <https://evil.example|github.com> &lt;!channel&gt;';
const SIGNS =
  '&amp;lt; & < > | javascript:alert(1) 👩‍💻 e\u0301\u0301\u0301 \u200b ``` * _ :// word \ud800 \udc00';
const CONTROLS = ['\u0000', '\u001b[2J', '\u202e', '\u2066', '\n', '\n\n\n\n', '\r', ' '];

function hostileWords() {
  return fc.constantFrom(...WORDS.split(' '), ...SIGNS.split(' '), ...CONTROLS);
}

export function text() {
  const short = fc.string({
    unit: fc.oneof(hostileWords(), anyCharacter),
    maxLength: 30,
  });
  const endless = fc
    .tuple(hostileWords(), short)
    .map(([word, end]) => word.repeat(40_000 / word.length) + end);
  return fc.oneof({ weight: 4, arbitrary: short }, { weight: 1, arbitrary: endless });
}

export function address() {
  const pullRequest = 'https://github.com/acme/docs/pull/7';
  const withTail = text().map((tail) => `${pullRequest}?${tail.slice(0, 2500)}#${tail.slice(0, 9)}`);
  return fc.oneof(text(), withTail, fc.constantFrom(pullRequest, `${pullRequest}?${'&'.repeat(2900)}`));
}

export function time() {
  return fc.oneof(fc.integer({ min: 0, max: 4e12 }), fc.double());
}

export function slackId() {
  return fc.oneof(fc.constantFrom('U1', 'C9'), text());
}

function pullRequestNews(...kinds: readonly PullRequestNews['kind'][]): fc.Arbitrary<PullRequestNews> {
  const named = { name: text(), url: fc.option(address()) };
  const name = fc.oneof(fc.record(named), fc.record({ ...named, userId: slackId() }));
  return fc.record({
    kind: fc.constantFrom(...kinds),
    key: fc.uuid(),
    names: fc.array(name, { maxLength: 5 }),
  });
}

/** What a code host may say of the pull request that the link leads to. */
function seen(url: string): fc.Arbitrary<SeenPullRequest> {
  const lines = fc.record({ added: fc.nat(), removed: fc.nat() });
  const facts = fc.record(
    {
      title: text(),
      state: fc.constantFrom('draft', 'open', 'merged', 'closed'),
      endedBy: text(),
      openedAtMs: time(),
      size: fc.record({ files: fc.nat(), lines: fc.option(lines) }),
      description: text(),
      pages: fc.array(text(), { maxLength: 5 }),
      checks: fc.constantFrom('pending', 'passing', 'failing'),
      review: fc.constantFrom('approved', 'changes_requested'),
      previewUrl: address(),
      failing: pullRequestNews('checks'),
      requests: fc.array(pullRequestNews('review'), { maxLength: 5 }),
      reviewers: fc.array(fc.record({ name: text(), url: fc.constant(null) }), { maxLength: 10 }),
    },
    { requiredKeys: [] },
  );
  return fc.record({ url: fc.constant(url), facts, seenAtMs: time(), reminders: fc.nat() });
}

/** The same job, with what a code host says of its pull request, or of the one that the link leads to. */
export function seenJob(link: (job: Job) => string | null | undefined): fc.Arbitrary<Job> {
  return job().chain((one) => {
    const url = link(one);
    return url ? seen(url).map((pullRequest) => ({ ...one, pullRequests: [pullRequest] })) : fc.constant(one);
  });
}

export function job(): fc.Arbitrary<Job> {
  const stage = fc.oneof<fc.Arbitrary<Stage>[]>(
    fc.constantFrom<Stage>(
      { kind: 'opening' },
      { kind: 'creating' },
      { kind: 'create_unknown', callId: 'c', sinceMs: 0 },
    ),
    fc.constant<Stage>({ kind: 'working', turnStartedAtMs: 0, settle: null }),
    text().map((message) => ({ kind: 'rejected', message })),
    text().map((reason) => ({ kind: 'card_failed', reason, thread: null })),
    fc
      .constantFrom('completed', 'failed', 'archived', 'vanished')
      .map((status) => ({ kind: 'ended', status, sinceMs: 0 })),
  );
  const fact = () => fc.option(text());
  const agentJob = fc.record({
    id: text(),
    status: text(),
    repository: fact(),
    ref: fact(),
    model: fact(),
    prLink: fc.option(address()),
  });
  const kind = fc.constantFrom('rate_limited', 'unreachable', 'needs_admin');
  const trouble = fc
    .record({ kind, source: fc.constantFrom('check', 'send'), retryAtMs: time() })
    .map(aTrouble);
  const facts = fc.record({
    requesterId: slackId(),
    projectName: text(),
    watchedAgentJobId: fc.option(text()),
    prompt: text(),
    context: text(),
    stage,
    agentJob: fc.option(agentJob),
    turn: fc.nat(),
    checkedAtMs: fc.option(time()),
    trouble: fc.option(trouble),
  });
  const app = fc.record({ id: slackId(), name: text(), messageTs: text(), permalink: address() });
  const asked = fc.oneof(
    fc.constant({}),
    app.map((one) => ({ requesterId: null, origin: { kind: 'mention', app: one } as const })),
  );
  return fc.tuple(facts, asked).map(([job, by]) => aJob({ ...job, ...by }));
}

function turnReplies() {
  return fc.record({ count: fc.nat(), authors: fc.array(slackId(), { maxLength: 3 }) });
}

function newLink(): fc.Arbitrary<NewLink> {
  return fc.record({ url: address(), is: fc.constantFrom('first', 'another') });
}

function turnEnded(): fc.Arbitrary<TurnEnded> {
  return fc.record({
    kind: fc.constant('turn_ended'),
    link: fc.option(fc.record({ url: address(), is: fc.constantFrom('first', 'same', 'another') })),
    branch: text(),
    lastedMs: fc.option(time()),
    replies: turnReplies(),
    undelivered: fc.option(turnReplies()),
  });
}

export function announcement(): fc.Arbitrary<Announcement> {
  const authorIds = fc.array(slackId(), { maxLength: 30 });
  const call = { callId: fc.uuid(), count: fc.nat(), authorIds };
  const reminder = { reminderId: fc.uuid(), url: address(), againMs: time() };
  const file = fc.record({ kind: fc.constantFrom(...fileKinds), name: fc.option(text()) });
  const problem = fc.constantFrom('unreadable', 'no_text', 'too_long');
  const told = fc.oneof(
    fc.array(pullRequestNews('checks', 'review'), { minLength: 1, maxLength: 6 }),
    fc.tuple(pullRequestNews('reviewers')),
  );
  const one = (kind: Announcement['kind'], fields: Readonly<Record<string, fc.Arbitrary<unknown>>> = {}) =>
    fc.record({ kind: fc.constant(kind), ...fields }) as fc.Arbitrary<Announcement>;
  return fc.oneof(
    ...(['started', 'failed', 'archived', 'vanished', 'recovered'] as const).map((kind) => one(kind)),
    one('draft', {
      ...{ number: fc.nat(), threadTs: fc.constant(null) },
      approvers: fc.array(slackId(), { maxLength: 12 }),
    }),
    turnEnded(),
    one('failed', { link: newLink() }),
    one('archived', { link: newLink() }),
    one('pull_request', { link: newLink(), branch: text(), authors: authorIds }),
    one('trouble', {
      trouble: fc.constantFrom('rate_limited', 'unreachable', 'needs_admin'),
      retryAtMs: time(),
    }),
    one('create_rejected', { message: text() }),
    one('create_unknown', { callId: fc.uuid() }),
    one('message_rejected', {
      ...{ ...call, message: text(), action: fc.constantFrom('send_again', 'start_again') },
    }),
    one('message_unknown', call),
    one('follow_up', { userId: slackId(), text: text() }),
    one('files_not_sent', { files: fc.array(file, { minLength: 1 }) }),
    one('snippets_not_sent', {
      snippets: fc.array(fc.record({ name: text(), problem }), { minLength: 1, maxLength: 10 }),
    }),
    one('long_running', { question: fc.nat(), lastedMs: fc.nat() }),
    one('reminder', reminder),
    one('reminder', { ...reminder, afterMs: time() }),
    one('pull_request_over', { state: fc.constantFrom('merged', 'closed') }),
    one('pull_request_over', { state: fc.constantFrom('merged', 'closed'), by: text() }),
    one('review_news', { url: address(), news: told }),
    one('notice_failed', { channelId: slackId(), reason: text() }),
  );
}

/** What Slack says, or might, of permissions and notice channels. */
export function slackFacts(): fc.Arbitrary<SlackFacts> {
  const missing = fc.record({ missing: fc.array(text(), { maxLength: 20 }) });
  const refused = fc.record({ refused: text() });
  const reach = fc.option(fc.oneof(fc.constant('reached' as const), refused));
  const channelId = fc.constantFrom('C9', 'D1', '<!channel>');
  return fc.record({
    scopes: fc.option(fc.oneof(missing, refused)),
    noticeChannels: fc.array(fc.record({ channelId, reach }), { maxLength: 9 }),
    atMs: time(),
  });
}
