import type { WorkspaceSettings } from '../../../app/config/projects.ts';
import { mayAskIn } from '../../../jobs/requests/access.ts';
import { EMOJI_SCOPE } from '../../../slack/protocol/scopes.ts';
import type { Inspection, TokenFacts } from '../../../slack/workspace/inspection.ts';
import { type Finding, type Findings, findingsOf } from './finding.ts';
import { LOOK_AGAIN, slackFailure } from './slack.ts';

/** A channel where an emoji makes drafts. */
interface Marking {
  readonly channelId: string;
  readonly emoji: string;
  /** Whether people may ask there at all. */
  readonly isOpen: boolean;
  readonly findings: Findings;
}

/** @param own the workspace, where there may be several; else null */
export function markingIn(
  own: string | null,
  { channels, access }: Pick<WorkspaceSettings, 'channels' | 'access'>,
): Marking[] {
  return [...channels].flatMap(([channelId, { reaction: emoji }]) => {
    if (emoji === undefined) return [];
    const subject = own === null ? channelId : `${own}/${channelId}`;
    const isOpen = mayAskIn(access, channelId);
    return [{ channelId, emoji, isOpen, findings: findingsOf('reaction', subject) }];
  });
}

/** Whether the bot reads the channel, so that it hears of the emoji; and whether there is such an emoji. */
export async function emojiFindings(
  inspection: Inspection,
  scopes: TokenFacts['scopes'],
  marking: readonly Marking[],
): Promise<Finding[]> {
  if (marking.length === 0) return [];
  const names = scopes?.has(EMOJI_SCOPE)
    ? await inspection.emoji().catch((error: unknown) => ({ error }))
    : null;
  return Promise.all(
    marking.map(async ({ channelId, emoji, isOpen, findings }) => {
      try {
        await inspection.isIn(channelId);
      } catch (error) {
        return slackFailure(error, findings, LOOK_AGAIN, (code) =>
          findings.error(
            `the bot cannot read the channel (${code}), so :${emoji}: makes no drafts there`,
            'Type /invite @docs-agent in the channel, or remove the channel from the settings.',
          ),
        );
      }
      if (isOpen) return emojiFinding(emoji, names, findings);
      return findings.warning(
        `:${emoji}: makes no drafts there: access.channels does not name the channel`,
        'Add it to access.channels in the file of DOCS_AGENT_CONFIG, or remove its reaction from the settings.',
      );
    }),
  );
}

/** Names that people know, and under which Slack lists the emoji; but an event says another one. */
const REPORTED_AS: ReadonlyMap<string, string> = new Map([
  ['thumbsup', '+1'],
  ['thumbsdown', '-1'],
  ['pencil', 'memo'],
  ['open_book', 'book'],
]);

function emojiFinding(
  emoji: string,
  names: ReadonlySet<string> | { readonly error: unknown } | null,
  findings: Findings,
): Finding {
  const reported = REPORTED_AS.get(emoji);
  if (reported !== undefined) {
    return findings.warning(
      `Slack reports :${emoji}: as :${reported}:, so it makes no drafts`,
      `In the file of DOCS_AGENT_CONFIG, set reaction: "${reported}".`,
    );
  }
  if (names === null) {
    return findings.ok(
      `:${emoji}: makes drafts; whether the emoji exists was not checked`,
      `That needs the optional scope ${EMOJI_SCOPE}.`,
    );
  }
  if ('error' in names) {
    return slackFailure(names.error, findings, LOOK_AGAIN, (code) =>
      findings.warning(`Slack does not say whether there is an emoji :${emoji}: (${code})`, LOOK_AGAIN),
    );
  }
  if (names.has(emoji)) return findings.ok(`:${emoji}: makes drafts`);
  return findings.warning(
    `Slack lists no emoji :${emoji}:`,
    'Correct channels.….reaction in the file of DOCS_AGENT_CONFIG: use the name that Slack shows for the emoji.',
  );
}
