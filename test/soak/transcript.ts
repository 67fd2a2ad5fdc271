import type { Finding, StoryEvidence } from './model/evidence.ts';

/** A story in full, for whoever has to find out what went wrong with it. */
export function transcriptOf(story: StoryEvidence, findings: readonly Finding[]): string {
  const { asked, cards, posts, notices, replies, asides, creates, messages, receipts, pressed } = story;
  const oddities = `${story.flaps} statuses flickered, ${story.lateTurns} turns were late`;
  const said = [...cards, ...posts, ...notices].map(({ ts, text, blocks = [] }) => ({
    atMs: Number(ts) * 1000,
    line: `bot ${ts}${pressed.has(ts) ? ' (pressed)' : ''} ${blocks[0]?.block_id}: ${text.replaceAll('\n', ' / ')}`,
  }));
  const written = [...replies, ...asides].map(({ ts, text, acknowledgedAtMs }) => ({
    atMs: Number(ts) * 1000,
    line: `person ${ts} (acknowledged ${acknowledgedAtMs}, receipt ${receipts.get(ts)?.join()}): ${text}`,
  }));
  const called = [...creates, ...messages].map(({ kind, atMs, agentJobId, isTaken, answer, prompt }) => ({
    atMs,
    line: `agent ${kind} ${agentJobId} ${isTaken ? 'taken' : 'not taken'}, ${answer}: ${prompt.replaceAll('\n', ' / ')}`,
  }));
  return [
    `J${asked.story} (${asked.answer}${story.isPatient ? ', patient' : ''}; ${oddities})`,
    ...findings.map(({ kind, what }) => `  ${kind.toUpperCase()}: ${what}`),
    ...[...said, ...written, ...called]
      .toSorted((a, b) => a.atMs - b.atMs)
      .map(({ atMs, line }) => `  ${new Date(atMs).toISOString().slice(11, 23)} ${line}`),
  ].join('\n');
}
