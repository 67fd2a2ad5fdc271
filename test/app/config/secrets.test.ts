import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../../src/app/config/config.ts';
import { settingNames, settings } from '../../../src/app/config/settings.ts';
import { noFiles, problemsOf, required, variablesOf } from '../../support/settings.ts';

describe('secrets in files', () => {
  const files: Record<string, string> = {
    '/run/secrets/bot': 'xoxb-from-file\n',
    '/run/secrets/app': 'xapp-from-file\r\n',
    '/run/secrets/key': 'key-from-file',
    '/run/secrets/empty': '\n',
    '/run/secrets/database': 'postgres://db/docs\n',
  };
  const readFile = (path: string) => files[path] ?? noFiles(path);

  test('are read, without the newline at their end', () => {
    const config = parseConfig(
      {
        SLACK_BOT_TOKEN_FILE: '/run/secrets/bot',
        SLACK_APP_TOKEN_FILE: '/run/secrets/app',
        AGENT_BASE_URL: required.AGENT_BASE_URL,
        AGENT_PROJECT_ID: 'docs',
        AGENT_API_KEY: '',
        AGENT_API_KEY_FILE: '/run/secrets/key',
        DATABASE_URL_FILE: '/run/secrets/database',
      },
      readFile,
    );
    expect(config.slack.installing).toEqual({ kind: 'by_hand', botToken: 'xoxb-from-file' });
    expect(config.slack.transport).toEqual({ kind: 'socket', appToken: 'xapp-from-file' });
    expect(config.agent.apiKeys.get('docs')).toBe('key-from-file');
    expect(config.store).toEqual({ kind: 'postgres', databaseUrl: 'postgres://db/docs' });
  });

  test.each(settingNames.filter((name) => settings[name].isSecret))('%s may not be given twice', (name) => {
    const problems = problemsOf({ [name]: 'anything', [`${name}_FILE`]: '/run/secrets/key' }, readFile);
    const [problem] = problems.filter(({ message }) => message.includes(`${name}_FILE`));
    expect(problem?.variable).toBe(name);
  });

  test('a file that is missing or empty is one problem, without its path', () => {
    for (const path of ['/run/secrets/none', '/run/secrets/empty']) {
      const problems = problemsOf({ SLACK_APP_TOKEN: '', SLACK_APP_TOKEN_FILE: path }, readFile);
      expect(variablesOf(problems)).toEqual(['SLACK_APP_TOKEN_FILE']);
      expect(problems[0]?.message).not.toContain(path);
    }
  });

  test('a secret where a path should be is not shown', () => {
    const problems = problemsOf({ AGENT_API_KEY: '', AGENT_API_KEY_FILE: 'key-secret' });
    expect(variablesOf(problems)).toEqual(['AGENT_API_KEY_FILE']);
    expect(JSON.stringify(problems)).not.toContain('key-secret');
  });
});
