import { describe, expect, test } from 'vitest';
import { parseCommand } from '../../../src/jobs/requests/command.ts';

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
