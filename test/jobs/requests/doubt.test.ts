import { describe, expect, test } from 'vitest';
import { commandNames, parseCommand } from '../../../src/jobs/requests/command.ts';
import { doubtOf } from '../../../src/jobs/requests/doubt.ts';
import { smallTalkOf } from '../../../src/jobs/requests/small-talk.ts';
import { fc } from '../../support/properties.ts';

const near = (command: string) => ({ kind: 'near_command', command });
const hardly = { kind: 'hardly_a_request' };
/** Words of real requests, some of which are commands, or nearly. */
const docsWord = fc.constantFrom(
  ...'explain the rate limits of our webhooks list status settings help stop watch add a page for lists codes'.split(
    ' ',
  ),
);

describe('what is hardly meant as a request', () => {
  test.each([
    ['stop', hardly],
    ['webhooks', hardly],
    ['👍', hardly],
    ['404', hardly],
    ['stop the job', hardly],
    ['thank you so much!', hardly],
    ['good morning', hardly],
    ['lists', near('list')],
    ['/list', near('list')],
    ['help!', near('help')],
    ['stat', near('status')],
    ['stauts', near('status')],
    ['satus', near('status')],
    ['ststus page', near('status')],
    ['HELP me please', near('help')],
    ['settings', near('settings')],
    ['setttings', near('settings')],
    ['watch', near('watch')],
    ['status codes', { kind: 'no_such_job', word: 'codes' }],
  ])('%j is asked about', (text, doubt) => expect(doubtOf(text)).toEqual(doubt));

  test.each([
    'fix typos',
    'explain webhooks',
    'set up guide',
    'list all our endpoints',
    'status codes of the API',
    'help people find the quickstart',
    'thank the contributors',
    'add-a-very-long-page-about-it',
    'レート制限を説明してください',
    '说明速率限制',
    'อธิบายขีดจำกัด',
    '列表 状态',
  ])('%j is a request', (text) => expect(doubtOf(text)).toBeNull());

  test('a request of four or more words never is, unless all of them are small talk', () => {
    fc.assert(
      fc.property(fc.array(docsWord, { minLength: 4, maxLength: 12 }), (words) => {
        const text = words.join(' ');
        fc.pre(smallTalkOf(text) === null);
        expect(doubtOf(text)).toBeNull();
      }),
    );
  });

  test('is every single word that is no longer than a word', () => {
    const word = fc.stringMatching(/^[a-zà-ÿ]{1,20}$/);
    const long = fc.stringMatching(/^[a-z-]{21,60}$/);
    fc.assert(
      fc.property(word, (text) => {
        expect(doubtOf(text)).not.toBeNull();
      }),
    );
    fc.assert(
      fc.property(long, (text) => {
        expect(doubtOf(text)).toBeNull();
      }),
    );
  });

  test('is a command with any one slip', () => {
    const slip = fc
      .record({
        name: fc.constantFrom(...commandNames),
        at: fc.nat(8),
        kind: fc.constantFrom('drop', 'double', 'swap', 'wrong'),
      })
      .map(({ name, at, kind }) => {
        const index = at % (name.length - 1);
        const [before, a = '', b = '', after] = [
          name.slice(0, index),
          name[index],
          name[index + 1],
          name.slice(index + 2),
        ];
        const middle = { drop: b, double: `${a}${a}${b}`, swap: `${b}${a}`, wrong: `x${b}` }[kind];
        return { name, typed: `${before}${middle}${after}` };
      });
    fc.assert(
      fc.property(slip, fc.constantFrom('', ' the pages', ' it'), ({ name, typed }, rest) => {
        // A drop may make it another word that is nearer to another command, or the job's word of `status`.
        expect(doubtOf(typed + rest)?.kind).toBeOneOf(['near_command', 'no_such_job']);
        if (rest === '') expect(doubtOf(typed)).toEqual(near(name));
      }),
    );
  });
});

test('no command that is typed exactly is a prompt, in any case and with any spaces', () => {
  const exact = fc.oneof(
    fc.constantFrom('help', 'list', 'settings', 'status'),
    fc.constantFrom('status 142', 'status #142', 'status job_1', 'watch job_1', 'project=docs watch job_1'),
  );
  const spaces = fc.stringMatching(/^[ \n]{0,3}$/);
  fc.assert(
    fc.property(exact, spaces, spaces, fc.boolean(), (typed, before, after, isLoud) => {
      const text = `${before}${isLoud ? typed.toUpperCase() : typed}${after}`;
      expect(parseCommand(text).kind).not.toBe('prompt');
    }),
  );
});

describe('small talk', () => {
  test.each([
    'thanks',
    'Thank you!',
    'thanks a lot 🙏',
    'ok',
    'OK, thanks!',
    'great, thank you so much',
    'perfect :tada:',
    ':+1:',
    '👍🏽',
    '❤️',
    '🇩🇪',
    ':)',
    '&lt;3',
    'nice work <@U123>',
    'danke',
    'LGTM',
  ])('%j is thanks', (text) => expect(smallTalkOf(text)).toBe('thanks'));

  test.each(['hi', 'Hello!', 'good morning team', 'hey there 👋'])('%j is a greeting', (text) =>
    expect(smallTalkOf(text)).toBe('greeting'),
  );

  test.each([
    '',
    '?',
    '...',
    'no',
    '1',
    'ok, now add the retries',
    'thanks, but shorter',
    'great, can you also fix the title?',
    'looks good?',
    'thanks: see <https://example.com>',
    '👍 but shorter',
    'thank the team on the page',
  ])('%j is neither', (text) => expect(smallTalkOf(text)).toBeNull());
});
