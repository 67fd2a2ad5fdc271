import { expect, test } from 'vitest';
import { problemsOf } from './support/checker/problems.ts';
import type { Expected, Seen, SeenCall, SeenMessage } from './support/checker/seen.ts';

const DRAFT = '📝 *Draft* · Dismissed';
const LINK = 'https://github.com/acme/docs/pull/1';

const expected: Expected = {
  threads: [
    {
      prompt: 'Add a quickstart',
      given: 'Add a quickstart',
      rootTs: null,
      starts: 1,
      posts: ['On it', '🎉'],
      replies: ['One', 'Two'],
      links: [LINK],
      end: '✅',
    },
  ],
  refused: [],
  notAccepted: [],
  told: ['invite'],
  hints: ['muted'],
  noticeChannels: ['N'],
  drafts: ['Dismissed'],
};

const message = (fields: Partial<SeenMessage>): SeenMessage => ({
  channel: 'C',
  ts: '1',
  threadTs: '1',
  text: '',
  isBot: true,
  isPrivate: false,
  callId: null,
  offers: [],
  reactions: [],
  ...fields,
});
const call = (id: string, kind: string, state = 'done', prompt: string | null = null): SeenCall => ({
  id,
  kind,
  state,
  prompt,
});
const reply = (text: string) => message({ ts: text, text, isBot: false, reactions: ['white_check_mark'] });
const working = message({ ts: '2', text: 'On it', callId: 'working' });

/** A world in which nothing was lost or doubled. */
const good: Seen = {
  messages: [
    message({ threadTs: null, text: '*Add a quickstart*\n✅' }),
    working,
    reply('One'),
    reply('Two'),
    message({ ts: '3', text: '🎉', callId: 'news' }),
    message({ isPrivate: true, text: 'invite' }),
    message({ channel: 'N', ts: '4', threadTs: null, text: `Add a quickstart ${LINK}`, callId: 'notice' }),
    message({ channel: 'D', ts: '8', threadTs: null, text: DRAFT, callId: 'draft' }),
  ],
  agentJobs: [['Add a quickstart', 'One\n\nTwo']],
  calls: [
    call('card', 'post_card'),
    call('working', 'announce'),
    call('news', 'announce'),
    call('notice', 'notify_channel'),
    call('draft', 'announce'),
    call('create', 'create_job', 'done', 'Add a quickstart'),
    call('send', 'send_message', 'done', 'One\n\nTwo'),
  ],
  followUps: ['One', 'Two'].map((text) => ({ text, state: 'sent' })),
};
const withMessages = (...more: SeenMessage[]): Seen => ({ ...good, messages: [...good.messages, ...more] });
const without = (text: string): Seen => ({
  ...good,
  messages: good.messages.filter((candidate) => candidate.text !== text),
});
const question = message({ ts: '9', text: "Couldn't confirm", offers: ['lost'] });
const unclear = [...good.calls, call('lost', 'send_message', 'unknown', 'Two')];

test('a world in which nothing was lost or doubled has no problems', () => {
  expect(problemsOf(expected, good)).toEqual([]);
});

test('an unknown call is no problem if somebody was asked, even if the agent got it twice', () => {
  const agentJobs = [['Add a quickstart', 'One\n\nTwo', 'Two']];
  expect(problemsOf(expected, { ...withMessages(question), agentJobs, calls: unclear })).toEqual([]);
});

test.each<[string, Seen]>([
  ['a second card', withMessages(message({ ts: '5', threadTs: null, text: '*Add a quickstart*' }))],
  ['no post', without('On it')],
  ['a post twice', withMessages({ ...working, ts: '6' })],
  ['posts in another order', { ...good, messages: good.messages.toReversed() }],
  ['a second notice', withMessages(message({ channel: 'N', ts: '7', threadTs: null, text: LINK }))],
  ['a second draft', withMessages(message({ channel: 'D', ts: '11', threadTs: null, text: DRAFT }))],
  [
    'a draft that is still open',
    {
      ...good,
      messages: good.messages.map((one) => (one.text === DRAFT ? { ...one, text: '📝 *Draft*' } : one)),
    },
  ],
  ['a private answer without a reason', withMessages(message({ isPrivate: true, text: 'What?' }))],
  ['no private answer', without('invite')],
  ['a reply twice', { ...good, agentJobs: [['Add a quickstart', 'One\n\nTwo', 'Two']] }],
  ['no reply', { ...good, agentJobs: [['Add a quickstart', 'One']] }],
  ['replies in another order', { ...good, agentJobs: [['Add a quickstart', 'Two', 'One']] }],
  ['a job twice', { ...good, agentJobs: [...good.agentJobs, ['Add a quickstart']] }],
  ['no job', { ...good, agentJobs: [] }],
  [
    'a reply that waits',
    { ...good, followUps: [{ text: 'One', state: 'waiting' }, ...good.followUps.slice(1)] },
  ],
  ['a call without an end', { ...good, calls: [...good.calls, call('open', 'announce', 'started')] }],
  ['a post that the ledger does not know', withMessages(message({ channel: 'X', callId: 'stray' }))],
  ['an unknown call that nobody was asked about', { ...good, calls: unclear }],
  [
    'a question about an unknown call, twice',
    { ...withMessages(question, { ...question, ts: '10' }), calls: unclear },
  ],
  ['a question about a call that was made', withMessages({ ...question, offers: ['send'] })],
])('%s is a problem', (_, seen) => {
  expect(problemsOf(expected, seen)).not.toEqual([]);
});
