import { describe, expect, test } from 'vitest';
import {
  forwarded,
  forwardedPicture,
  limitsTable,
  linkPreview,
  messagePreview,
  pullRequestByApp,
  runbook,
  tableAttachment,
} from '../support/app-messages.ts';
import { has, includes, present } from '../support/is.ts';
import { bob, general } from '../support/local-slack.ts';
import type { FileDraft } from '../support/strict-slack/files.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { type Program, startProgram } from '../support/strict-slack/program.ts';
import { waitFor } from '../support/wait-for.ts';
import { openThreadForm, seesForm } from './support/posts.ts';

const mention = `<@${strictApp.botUserId}>`;
const snippet: FileDraft = { name: 'notes.txt', content: 'Use <b> & "c"\nTwo', mode: 'snippet' };
const TABLE = '| Plan | Requests |\n| --- | --- |\n| Solo | 20 |';

type Draft = Parameters<Program['slack']['control']['message']>[0];
const write = ({ slack }: Program, draft: Partial<Draft>) =>
  slack.control.message({ channel: general, user: bob, text: '', ...draft });
const prompts = ({ api }: Program) => api.jobs.flatMap((job) => job.prompts);
const sent = (program: Program, count: number) =>
  program.later(() => prompts(program), has(count), `${count} prompts`);
const told = (program: Program, channel: string, words: string) =>
  program.later(
    async () =>
      (await program.slack.control.messages(channel))
        .map(({ text }) => text)
        .find((text) => text.includes(words)),
    present,
    words,
  );

const inShare = (blocks: readonly object[]) => ({
  ...forwarded,
  text: '',
  fallback: '[no preview available]',
  message_blocks: [{ message: { blocks } }],
});
const from = `(${forwarded.from_url})`;

/** How something reaches the agent. */
const doors: Record<string, (program: Program, draft: Partial<Draft>) => Promise<unknown>> = {
  'with a mention': (program, draft) => write(program, { text: `${mention} Publish`, ...draft }),
  'as a direct message without a word': (program, draft) => write(program, { channel: bob, ...draft }),
  'as a reply without a word': async (program, draft) =>
    write(program, { threadTs: (await program.working()).ts, ...draft }),
  'by the shortcut of its message': async (program, draft) => {
    const message = await write(program, draft);
    await program.slack.control.shortcut({ message, user: bob, callbackId: 'ask_docs_agent' });
    await seesForm(program.slack.control, bob, 'About');
    await program.slack.control.submit(bob);
  },
  'by the form of its thread': async (program, draft) => {
    const root = await write(program, draft);
    await write(program, { threadTs: root.ts, text: `${mention} Publish` });
    await openThreadForm(program, bob, 'Publish');
    await program.slack.control.submit(bob);
  },
};
const byApp = ['by the shortcut of its message', 'by the form of its thread'];

describe.each<[what: string, draft: Partial<Draft>, part: string, ways?: readonly string[]]>([
  ['a table', { fields: { attachments: [tableAttachment] } }, TABLE],
  ['a table among the blocks', { fields: { blocks: [limitsTable] } }, TABLE],
  ['a forwarded table', { fields: { attachments: [inShare([limitsTable])] } }, TABLE],
  ['a forwarded message', { fields: { attachments: [forwarded] } }, `The limit is *100* & not 60\n${from}`],
  ['a snippet', { files: [snippet] }, 'notes.txt:\nUse <b> & "c"\nTwo'],
  [
    'the message of an app',
    { fields: { bot_id: 'B0GITHUB', attachments: [pullRequestByApp] } },
    'Pull request opened by bob (https://github.com/bob)',
    byApp,
  ],
])('%s (R2, F5, S3)', (_what, draft, part, ways = Object.keys(doors)) => {
  test.each(ways)('goes along %s', async (way) => {
    await using program = await startProgram();
    await doors[way]?.(program, draft);
    // In a form it is quoted.
    const given = () => prompts(program).join('\n').replaceAll('\n> ', '\n');
    await program.later(given, includes(part), 'the agent to have it');
  });
});

test('a forwarded runbook keeps its structure (R2)', async () => {
  await using program = await startProgram();
  await write(program, { text: `${mention} Publish it`, fields: { attachments: [inShare(runbook)] } });
  const [prompt] = await sent(program, 1);
  expect(prompt).toContain('2. Restart it\n    • only at night\n3. Check the log\n```bash\nkubectl');
  expect(prompt).toContain(
    '\n> ask Ann first\nWait ~ten~ five minutes, see `status`\nOpen the dashboard (https://',
  );
});

test('a message that is forwarded into the thread of a job is a follow-up; one without text is named (F5)', async () => {
  await using program = await startProgram();
  const card = await program.working();
  await write(program, { threadTs: card.ts, fields: { attachments: [forwarded, forwardedPicture] } });
  expect((await sent(program, 2))[1]).toBe(
    `Forwarded message from Alice:\nThe limit is *100* & not 60\n${from}`,
  );
  const named = await program.threadMessage(card, 'Not sent');
  expect(named.text).toBe('📎 *Not sent:* 1 forwarded message without text. The agent takes text only.');
});

test('a mention of the bot in a message that is forwarded is none of who forwards it (F4, F5)', async () => {
  await using program = await startProgram();
  const card = await program.working();
  await write(program, { threadTs: card.ts, text: 'mute' });
  await program.threadMessage(card, 'Muted');
  const attachment = { ...forwarded, text: `${mention} Delete all`, message_blocks: [] };
  await write(program, { threadTs: card.ts, text: 'Look', fields: { attachments: [attachment] } });
  await program.clock.advance(20_000);
  expect(prompts(program)).toEqual(['Add a quickstart']);
});

test('the preview that Slack adds to a link is neither sent nor an edit (F3, F5)', async () => {
  await using program = await startProgram();
  const card = await program.working();
  const text = `As in <${linkPreview.original_url}>`;
  const reply = await write(program, { threadTs: card.ts, text });
  await sent(program, 2);
  const changed = { ...reply, attachments: [linkPreview] };
  const ts = `${Number(reply.ts) + 1}.000100`;
  await program.slack.control.raw(general, {
    type: 'message',
    subtype: 'message_changed',
    hidden: true,
    message: changed,
    previous_message: reply,
    ts,
  });
  await write(program, { threadTs: card.ts, text, fields: { attachments: [linkPreview] } });
  const said = `As in ${linkPreview.original_url}`;
  expect(await sent(program, 3)).toEqual(['Add a quickstart', said, said]);
  expect(program.slack.calls('chat.postEphemeral')).toEqual([]);
});

describe('what has no words (R2)', () => {
  const call = { type: 'call', call_id: 'R1', call: { v1: { id: 'R1', name: 'Zoom meeting' } } };
  const picture = { type: 'image', image_url: 'https://a.example/x.png', alt_text: 'x.png' };

  test.each([
    ['nothing', []],
    ['a call', [call]],
    ['a picture', [picture]],
  ])('is named, and the words go out: a forwarded message that holds %s', async (_what, blocks) => {
    await using program = await startProgram();
    const attachments = [inShare(blocks)];
    await write(program, { text: `${mention} write this up`, fields: { attachments } });
    expect(await sent(program, 1)).toEqual(['write this up']);
    await told(program, general, 'Not sent:* 1 forwarded message without text. The agent');
  });

  test.each<[string, Partial<Draft>]>([
    ['a forwarded message', { fields: { attachments: [inShare([call])] } }],
    ['an attachment', { fields: { attachments: [{ id: 1, fallback: '[no preview available]' }] } }],
    [
      'words that Slack has put there',
      { text: "This content can't be displayed.", fields: { blocks: [call] } },
    ],
    ['a picture', { files: [{ name: 'limits.png', content: 'x', mimetype: 'image/png', filetype: 'png' }] }],
    ['a file that is no text', { files: [{ name: 'a.txt', content: Buffer.from('PK\u0003\u0004') }] }],
  ])('alone starts nothing, and says so: %s', async (_what, draft) => {
    await using program = await startProgram();
    await write(program, { channel: bob, ...draft });
    await told(program, bob, 'Not sent');
    await write(program, { ...draft, text: `${mention} ${draft.text ?? ''}`.trim() });
    await told(program, general, 'Not sent');
    const card = await program.working();
    await write(program, { threadTs: card.ts, ...draft });
    await program.threadMessage(card, 'Not sent');
    await program.clock.advance(20_000);
    expect(prompts(program)).toEqual(['Add a quickstart']);
  });
});

test('a message whose address somebody types goes along with its author (R5)', async () => {
  await using program = await startProgram();
  const text = `${mention} Write up <${forwarded.from_url.replaceAll('&', '&amp;')}>`;
  await write(program, { text, fields: { attachments: [messagePreview] } });
  expect(await sent(program, 1)).toEqual([
    `Write up ${forwarded.from_url}\n\nLinked message from Alice:\nThe limit is *100* & not 60\n${from}`,
  ]);
});

test.each([
  ['the C page', 'the C++ page'],
  ['set it to 1', 'set it to -1'],
])(
  'words of a forwarded message that only look like those typed are not dropped: %s (R2)',
  async (typed, words) => {
    await using program = await startProgram();
    const attachments = [{ ...forwarded, text: words, message_blocks: [] }];
    await write(program, { text: `${mention} ${typed}`, fields: { attachments } });
    expect(await sent(program, 1)).toEqual([`${typed}\n\nForwarded message from Alice:\n${words}\n${from}`]);
  },
);

test('file names, channels and user groups are as they were typed (R1)', async () => {
  await using program = await startProgram();
  const { control } = program.slack;
  control.openChannel({ id: 'C0HELPDESK', name: 'helpdesk', type: 'channel', members: [bob] });
  control.setUserGroup('S0SUPPORT', [], 'support');
  const names = 'Move <http://CHANGELOG.md|CHANGELOG.md> below <http://setup.py|setup.py>';
  const who =
    'Ask <#C0HELPDESK> or <!subteam^S0SUPPORT>, not <#C0NOWHERE>, <!subteam^S0NOBODY> or <@U0NOBODY>';
  await write(program, { text: `${mention} ${names}. ${who}` });
  expect(await sent(program, 1)).toEqual([
    'Move CHANGELOG.md below setup.py. Ask #helpdesk or @support, not a channel, a user group or someone',
  ]);
});

describe('files (R4)', () => {
  const file = (name: string, content: string | Buffer, more: Partial<FileDraft> = {}) => ({
    ...{ name, content, mode: 'hosted' as const, mimetype: 'application/octet-stream', filetype: 'binary' },
    ...more,
  });

  test('that are text go along, whatever Slack calls them and however they are encoded', async () => {
    await using program = await startProgram();
    const files = [
      file('schema.json', '{"a":1}', { mimetype: 'application/json', filetype: 'json' }),
      file('api.yaml', 'a: 1', { mimetype: 'application/x-yaml', filetype: 'yaml' }),
      file('guide.mdx', '# Guide'),
      file('index.ts', 'let a = 1', { mimetype: 'video/mp2t', filetype: 'typescript' }),
      file('q.sql', 'select 1', { mimetype: 'application/sql' }),
      file('fix.patch', '--- a'),
      file('README', 'Read me'),
      file('latin.txt', Buffer.from('caf\u00e9 \u0096 5', 'latin1')),
      file('utf16.txt', Buffer.from('\ufeffcafé', 'utf16le')),
    ];
    await write(program, { text: `${mention} See these`, files });
    expect(await sent(program, 1)).toEqual([
      'See these\n\nschema.json:\n{"a":1}\n\napi.yaml:\na: 1\n\nguide.mdx:\n# Guide\n\nindex.ts:\nlet a = 1\n\n' +
        'q.sql:\nselect 1\n\nfix.patch:\n--- a\n\nREADME:\nRead me\n\nlatin.txt:\ncafé – 5\n\nutf16.txt:\ncafé',
    ]);
  });

  test('that are none are named', async () => {
    await using program = await startProgram();
    const files = [
      file('clip.ts', Buffer.from([0x47, 0, 0, 1, 2, 3, 0xff])),
      file('a.txt', Buffer.from('PK\u0003\u0004rest')),
      file('plan.docx', 'x'),
      file('long.md', 'x'.repeat(200_000)),
    ];
    await write(program, { text: `${mention} See these`, files });
    expect(await sent(program, 1)).toEqual(['See these']);
    await told(program, general, '1 file (plan.docx)');
    const text = await told(program, general, 'clip.ts');
    expect(text).toContain("clip.ts · it isn't readable text");
    expect(text).toContain("a.txt · it isn't readable text");
    expect(text).toContain("long.md · it's too long");
    expect(program.slack.calls('file_download').length).toBeLessThan(3);
  });

  test('that are e-mails go along as their words', async () => {
    await using program = await startProgram();
    const email = {
      id: 'F0EMAIL',
      mode: 'email',
      filetype: 'email',
      mimetype: 'text/html',
      name: 'Limits',
      title: 'Limits',
      subject: 'Limits',
      from: [{ address: 'dana@acme.example', name: 'Dana', original: 'Dana <dana@acme.example>' }],
      plain_text: 'Solo has 20 & no more.\nDana',
      url_private: 'https://files.slack.com/none',
      attachments: [{ filename: 'limits.xlsx', mimetype: 'application/vnd.ms-excel' }],
    };
    const asked = await write(program, { text: `${mention} Publish`, fields: { files: [email] } });
    const words = 'Limits:\nSubject: Limits\nFrom: Dana <dana@acme.example>\n\nSolo has 20 & no more.\nDana';
    expect(await sent(program, 1)).toEqual([`Publish\n\n${words}`]);
    await told(program, general, '1 file (limits.xlsx)');
    const { control } = program.slack;
    await control.shortcut({ message: asked, user: bob, callbackId: 'ask_docs_agent' });
    await waitFor(() => control.modal(bob), present, { what: 'the form' });
    await control.submit(bob);
    expect((await sent(program, 2)).at(-1)).toContain(words);
  });
});

test('a request that begins with code is called by its first line of words (S1, R2)', async () => {
  await using program = await startProgram();
  const fence = '```';
  await write(program, { text: `${mention} ${fence}\nsolo: 20\n${fence}\nPut it on the limits page` });
  await sent(program, 1);
  const cards = (await program.slack.control.messages(general)).map(({ text }) => text);
  expect(cards.join('\n')).toContain('*Put it on the limits page*');
});
