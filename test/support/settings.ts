import { parseConfig } from '../../src/app/config/config.ts';
import { ConfigError, type ConfigProblem } from '../../src/app/config/values.ts';

export const required = {
  SLACK_BOT_TOKEN: 'xoxb-12-34',
  SLACK_APP_TOKEN: 'xapp-1-A12',
  AGENT_BASE_URL: 'https://agent.example.com',
  AGENT_API_KEY: 'agent-key',
  AGENT_PROJECT_ID: 'docs',
};

/** In place of the bot token: many workspaces. */
export const oauth = {
  SLACK_CLIENT_ID: '12.34',
  SLACK_CLIENT_SECRET: 'client-secret',
  SLACK_STATE_SECRET: 'state-secret-of-tests',
  TOKEN_ENCRYPTION_KEY: `k1:${'A'.repeat(43)}=`,
};

export const noFiles = (path: string): string => {
  throw Object.assign(new Error(`no such file: ${path}`), { code: 'ENOENT' });
};

export const parse = (env: Record<string, string | undefined>) =>
  parseConfig({ ...required, ...env }, noFiles);

export function errorOf(env: Record<string, string | undefined>, readFile = noFiles): ConfigError {
  try {
    parseConfig(env, readFile);
  } catch (error) {
    if (error instanceof ConfigError) {
      return error;
    }
    throw error;
  }
  throw new Error('the settings were accepted');
}

export const problemsOf = (
  env: Record<string, string | undefined>,
  readFile = noFiles,
): readonly ConfigProblem[] => errorOf({ ...required, ...env }, readFile).problems;

export const variablesOf = (problems: readonly ConfigProblem[]) =>
  problems.map((problem) => problem.variable);
