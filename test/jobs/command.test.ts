import { describe, expect, test } from 'vitest';
import { parseCommand } from '../../src/jobs/command.ts';

describe('a reserved word counts only as the whole text', () => {
  test.each(['help', 'HELP', '  help  ', 'help\n'])('%j asks for help', (text) => {
    expect(parseCommand(text)).toEqual({ kind: 'help' });
  });

  test.each([
    ['list', 'list'],
    [' List ', 'list'],
    ['settings', 'settings'],
    ['status', 'status'],
    ['status 42', 'status'],
    ['watch 42', 'watch'],
    ['WATCH  agent_42', 'watch'],
  ])('%j is the command %s', (text, word) => {
    expect(parseCommand(text)).toEqual({ kind: 'reserved', word });
  });

  test.each([
    'list all our endpoints',
    'help the reader find the rate limits',
    'status codes need a page',
    'watch',
    'watch out for broken links',
    'settings page: add screenshots',
    'lists',
    'helpful hints',
    'Document list',
    '--help',
    '--',
  ])('%j is a prompt, or what is left of one', (text) => {
    const prompt = text === '--' ? '' : text;
    expect(parseCommand(text)).toEqual({ kind: 'prompt', prompt });
  });
});

describe('two dashes make a prompt of anything', () => {
  test.each([
    ['-- help', 'help'],
    ['--   list', 'list'],
    ['--\nstatus 42', 'status 42'],
    ['-- -- help', '-- help'],
    ['-- ', ''],
  ])('%j asks for %j', (text, prompt) => {
    expect(parseCommand(text)).toEqual({ kind: 'prompt', prompt });
  });
});

test('a prompt keeps its lines, without the space around it', () => {
  expect(parseCommand('  Fix the typos\n\n- here\n- there \n')).toEqual({
    kind: 'prompt',
    prompt: 'Fix the typos\n\n- here\n- there',
  });
});

test('no text at all is an empty prompt', () => {
  expect(parseCommand('  \n')).toEqual({ kind: 'prompt', prompt: '' });
});
