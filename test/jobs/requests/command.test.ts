import { describe, expect, test } from 'vitest';
import {
  isBlank,
  isNear,
  judgePrompt,
  nearest,
  type Projects,
  parseCommand,
  parseProjectPrefix,
} from '../../../src/jobs/requests/command.ts';

describe('a reserved word counts only as the whole text', () => {
  test.each(['help', 'HELP', '  help  ', 'help\n'])('%j asks for help', (text) => {
    expect(parseCommand(text)).toEqual({ kind: 'help' });
  });

  test.each([
    ['list', { kind: 'list' }],
    [' List ', { kind: 'list' }],
    ['settings', { kind: 'settings' }],
    ['Report', { kind: 'report' }],
    ['status', { kind: 'status', id: null }],
    ['status 42', { kind: 'status', id: '42' }],
    ['watch 42', { kind: 'watch', id: '42', projectName: null }],
    ['WATCH  agent_42', { kind: 'watch', id: 'agent_42', projectName: null }],
    ['project=docs watch 42', { kind: 'watch', id: '42', projectName: 'docs' }],
  ])('%j is a command', (text, command) => {
    expect(parseCommand(text)).toEqual(command);
  });

  test.each([
    'list all our endpoints',
    'help the reader find the rate limits',
    'status codes need a page',
    'watch',
    'watch out for broken links',
    'project=docs watch out for broken links',
    'settings page: add screenshots',
    'report the rate limits',
    'lists',
    'helpful hints',
    'Document list',
    '--help',
    '--',
    '-- help',
    '--\nstatus 42',
  ])('%j is a prompt', (text) => {
    expect(parseCommand(text)).toEqual({ kind: 'prompt', text });
  });
});

test('a prompt keeps its lines, without the space around it', () => {
  expect(parseCommand('  Fix the typos\n\n- here\n- there \n')).toEqual({
    kind: 'prompt',
    text: 'Fix the typos\n\n- here\n- there',
  });
});

test('no text at all opens the modal', () => {
  expect(parseCommand('  \n')).toEqual({ kind: 'compose' });
});

const projects: Projects = [
  { id: 'p-1', name: 'docs', noticeChannels: [] },
  { id: 'p-2', name: 'handbook', noticeChannels: [] },
];
const [docs] = projects;
const read = (text: string) => {
  const to = parseProjectPrefix(text, projects, docs);
  return to.unknownProject === null
    ? [to.project.name, to.prompt]
    : { ...to.unknownProject, prompt: to.prompt };
};

describe('project=name at the start of a prompt', () => {
  test.each([
    ['project=handbook fix the typos', 'handbook', 'fix the typos'],
    ['  Project=HANDBOOK\n\nfix the typos ', 'handbook', 'fix the typos'],
    ['project=p-2 fix', 'handbook', 'fix'],
    ['project=<http://handbook|handbook> fix', 'handbook', 'fix'],
    ['project=handbook', 'handbook', ''],
    ['fix project=handbook', 'docs', 'fix project=handbook'],
    ['projects=handbook fix', 'docs', 'projects=handbook fix'],
    ['project = handbook', 'docs', 'project = handbook'],
  ])('%j goes to %s as %j', (text, project, prompt) => {
    expect(read(text)).toEqual([project, prompt]);
  });

  test.each([
    ['project=dosc fix', 'dosc', ['docs', 'handbook']],
    ['project=handbok fix', 'handbok', ['handbook', 'docs']],
    ['project= fix', '', ['docs', 'handbook']],
  ])('%j names a project that is not there, so the nearest comes first', (text, name, names) => {
    const projects = names.map((one) => expect.objectContaining({ name: one }));
    expect(read(text)).toMatchObject({ kind: 'unknown_project', name, projects, prompt: 'fix' });
  });
});

describe('two dashes make a prompt of anything', () => {
  test.each([
    ['-- help', 'help'],
    ['--   list', 'list'],
    ['--\nstatus 42', 'status 42'],
    ['-- -- help', '-- help'],
    ['-- project=dosc fix', 'project=dosc fix'],
    ['--', ''],
    ['--help', '--help'],
  ])('%j asks for %j', (text, prompt) => {
    expect(read(text)).toEqual(['docs', prompt]);
  });
});

describe('a person', () => {
  test.each([
    ['nothing', ''],
    ['spaces and line ends', ' \t\r\n'],
    ['no-break and wide spaces', '\u00a0\u2003\u3000'],
    ['zero-width characters', '\u200b\u200c\u200d\u2060\ufeff'],
    ['right-to-left marks', '\u200f\u202e\u2067\u2069'],
    ['soft hyphens', '\u00ad'],
    ['variation selectors', '\ufe0f'],
    ['Hangul fillers', '\u115f\u3164'],
    ['Braille blanks', '\u2800'],
    ['control characters', '\u0000\u001b\u007f'],
    ['tag characters', '\u{e0041}'],
  ])('sees nothing in %s, however long', (_name, text) => {
    expect(isBlank(text)).toBe(true);
    expect(judgePrompt(text.repeat(50), 10)).toEqual({ kind: 'empty' });
  });

  test.each(['x', '.', '0', '👍', '👩‍💻', '❤️', '🏴󠁧󠁢󠁳󠁣󠁴󠁿', 'שלום', '\u202eabc', '\u200b\u2800x\u200f', '⠁', '文'])(
    'sees something in %s',
    (text) => expect(judgePrompt(text, 100)).toEqual({ kind: 'ok' }),
  );
});

test('a prompt may reach its limit, and not pass it: the verdict says both', () => {
  expect(judgePrompt('x'.repeat(20_000), 20_000)).toEqual({ kind: 'ok' });
  const length = 20_001;
  expect(judgePrompt('x'.repeat(length), 20_000)).toEqual({ kind: 'too_long', length, maxLength: 20_000 });
});

test.each(['list', 'lists', 'lst', 'lost', 'ilst', 'xlist'])('%s is near to list', (word) =>
  expect(isNear(word, 'list')).toBe(true),
);

test.each(['lis ts', 'least', 'stil', 'li', '', 'list of pages', 'x'.repeat(100_000)])(
  '“%s” is another word',
  (word) => expect(isNear(word, 'list')).toBe(false),
);

test('of several names the one with the fewest slips is meant, and more slips where they are allowed', () => {
  const names = ['SLACK_APP_TOKEN', 'SLACK_BOT_TOKEN'];
  expect(nearest('SLACK_BT_TOKN', names)).toBeNull();
  expect(nearest('SLACK_BT_TOKN', names, () => 2)).toBe('SLACK_BOT_TOKEN');
  expect(nearest('SLACK_AOT_TOKEN', names, () => 2)).toBe('SLACK_BOT_TOKEN');
});
