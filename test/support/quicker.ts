import { registerHooks } from 'node:module';

/** Limits that tests in real time shorten. */
const LIMITS = {
  // The stand-in Slack stores posts at once: one that is not there after four seconds never will be.
  searches: {
    file: '/src/slack/outbound/post-to-slack.ts',
    limit: 'ABSENT_AFTER_MS = 20_000;',
    quicker: 'ABSENT_AFTER_MS = 4_000;',
  },
  // The stand-in code host knows at once what happened.
  looks: {
    file: '/src/features/pull-requests/decide.ts',
    limit: 'SHORTEST_MS = MINUTE_MS;',
    quicker: 'SHORTEST_MS = 5_000;',
  },
} as const;

/** Arguments of Node for a program with this limit made shorter. */
export function withQuicker(name: keyof typeof LIMITS): string[] {
  return ['--import', `${import.meta.url}?${name}`];
}

// Loaded into the program by `--import`, before all else.
for (const [name, { file, limit, quicker }] of Object.entries(LIMITS)) {
  if (!import.meta.url.endsWith(`?${name}`)) continue;
  registerHooks({
    load: (url, context, nextLoad) => {
      const loaded = nextLoad(url, context);
      if (!url.endsWith(file)) return loaded;
      const source = String(loaded.source);
      if (!source.includes(limit)) throw new Error(`${file} has no ${limit}`);
      return { ...loaded, source: source.replace(limit, quicker) };
    },
  });
}
