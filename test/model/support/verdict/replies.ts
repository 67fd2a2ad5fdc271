import type { AgentCall } from '../agent-front.ts';
import type { ModelWorld } from '../model-world.ts';
import type { Reply } from '../people.ts';
import { type Facts, isUnclear } from './facts.ts';
import type { Records } from './records.ts';

/** What is wrong with what became of a reply. `isJobGone`: the API does not know the thread's job any more. */
export async function judgeReply(
  world: ModelWorld,
  records: Records,
  reply: Reply,
  facts: Facts,
  isJobGone: boolean,
): Promise<string[]> {
  const wrong: string[] = [];
  const tries = records.sends(reply.mark);
  const takings = tries.filter(({ status }) => status === 200);
  const again = takings.slice(0, -1);
  if (again.some((call) => !isUnclear(call))) wrong.push('sent again after a clear answer');
  if (again.length > facts.pressed('send_again')) wrong.push(`sent ${takings.length} times`);
  const firstTry = records.placeOf(tries[0] as AgentCall);
  const rest = reply.knownAtRest === null ? undefined : world.time.rests[reply.knownAtRest];
  const isKnownBefore = rest !== undefined && firstTry >= rest;
  if (reply.isDeleted) {
    if (isKnownBefore) wrong.push('sent after it was deleted');
    return wrong;
  }
  const texts = takings.map(({ prompt }) => reply.texts.filter((text) => isIn(prompt, text)).at(-1));
  if (texts.some((text) => text === undefined)) wrong.push('sent with another text');
  if (isKnownBefore && texts.some((text) => text !== reply.texts.at(-1))) wrong.push('sent without its edit');
  if (facts.isCensored) return wrong;
  const receipts = (await world.slack.control.reactions(reply.message)).join();
  const last = takings.at(-1);
  if (last === undefined || !last.answered) {
    if (reply.isSendable && !isJobGone) wrong.push(last ? 'left unclear' : 'lost');
    if (receipts !== 'warning') wrong.push(`not sent, and shows: ${receipts}`);
  } else if (receipts !== 'white_check_mark') wrong.push(`sent, and shows: ${receipts}`);
  return wrong;
}

function isIn(prompt: string | null, text: string): boolean {
  return prompt?.split('\n\n').includes(text) === true;
}

/** Replies of one thread that were sent before older ones that the program knew. */
export function judgeOrder({ time }: ModelWorld, records: Records, replies: readonly Reply[]): string[] {
  const sent = replies.flatMap((reply) => {
    const tries = records.sends(reply.mark);
    // What had to be sent again by hand has lost its place.
    const [call] = tries.length === 1 && !records.wasWarned(reply.message.ts) ? tries : [];
    return call === undefined || call.status !== 200 ? [] : [{ reply, call }];
  });
  const { placeOf } = records;
  return sent.flatMap(({ reply: younger, call }) =>
    sent
      .filter(({ reply: older, call: later }) => {
        const rest = older.knownAtRest === null ? undefined : time.rests[older.knownAtRest];
        const isKnown = rest !== undefined && rest <= placeOf(call) && older.texts.length === 1;
        if (!isKnown || older.message.ts >= younger.message.ts) return false;
        if (later !== call) return placeOf(later) > placeOf(call);
        return placeIn(call, older) > placeIn(call, younger);
      })
      .map(({ reply: older }) => `${younger.mark} was sent before ${older.mark}`),
  );
}

function placeIn({ prompt }: AgentCall, { mark }: Reply): number {
  return prompt?.indexOf(mark) ?? -1;
}
