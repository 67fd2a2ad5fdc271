import { parseArgs } from 'node:util';
import { manifestYaml } from '../../slack/manifest.ts';
import { UsageError } from '../command.ts';

export async function manifest(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      url: { type: 'string' },
      socket: { type: 'boolean', default: false },
      oauth: { type: 'boolean', default: false },
      agent: { type: 'boolean', default: false },
      workflow: { type: 'boolean', default: false },
      reactions: { type: 'boolean', default: false },
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
  const oauth = values.oauth && url !== null ? { url } : null;
  const options = {
    url: values.socket ? null : url,
    oauth,
    isAgent: values.agent,
    hasWorkflowStep: values.workflow,
    hasReactions: values.reactions,
  };
  console.log(manifestYaml(options).trimEnd());
  return 0;
}

function publicAddress(text: string): string {
  const url = URL.parse(text);
  const isPlain = url?.protocol === 'https:' && url.username === '' && url.password === '';
  if (url === null || !isPlain || url.search !== '' || url.hash !== '') {
    throw new UsageError('--url must be an https address, such as https://bot.example.com.');
  }
  return url.href.replace(/(?<!\/)\/+$/, '').replace(/\/slack\/events$/, '');
}
