import { parseArgs } from 'node:util';
import { httpUrl } from '#app/config/checks.ts';
import { manifestYaml } from '#slack/manifest.ts';
import { UsageError } from '../command.ts';

const FLAG = { type: 'boolean', default: false } as const;

export async function manifest(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      url: { type: 'string' },
      socket: FLAG,
      oauth: FLAG,
      agent: FLAG,
      workflow: FLAG,
      reactions: FLAG,
    },
  });
  const url = values.url === undefined ? null : publicAddress(values.url);
  if (values.oauth && url === null) {
    throw new UsageError(
      '--oauth needs --url: Slack sends the person who installs the app back to that address.',
    );
  }
  if (values.workflow && values.oauth) {
    throw new UsageError(
      '--workflow cannot be combined with --oauth: Slack does not let an app with a workflow step be distributed to other workspaces.',
    );
  }
  const yaml = manifestYaml({
    url: values.socket ? null : url,
    oauth: values.oauth && url !== null ? { url } : null,
    isAgent: values.agent,
    hasWorkflowStep: values.workflow,
    hasReactions: values.reactions,
  });
  console.log(yaml.trimEnd());
  return 0;
}

function publicAddress(text: string) {
  const { data = '' } = httpUrl.safeParse(text);
  if (!data.startsWith('https:')) {
    throw new UsageError('--url must be an https address, such as https://bot.example.com.');
  }
  return data.replace(/\/slack\/events$/, '');
}
