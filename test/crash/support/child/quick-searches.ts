import { registerHooks } from 'node:module';

const FILE = '/src/slack/outbound/post-to-slack.ts';
const LIMIT = 'ABSENT_AFTER_MS = 20_000;';

/**
 * Loaded into the program by `--import`, before all else. The stand-in Slack stores a post at once, so that what is not
 * there after four seconds is not there.
 */
registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context);
    if (!url.endsWith(FILE)) return loaded;
    const source = String(loaded.source);
    if (!source.includes(LIMIT)) throw new Error(`${FILE} has no ${LIMIT}`);
    return { ...loaded, source: source.replace(LIMIT, 'ABSENT_AFTER_MS = 4_000;') };
  },
});
