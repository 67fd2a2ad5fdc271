import type { StrictSlack } from '../../support/strict-slack.ts';
import { until } from './until.ts';

/** A person who sees no reaction to a message for so long goes away. */
const HEARD_WITHIN_MS = 20_000;

interface TellTale {
  readonly type?: string;
  readonly ts?: string;
  /** What a reaction is at. */
  readonly item?: { readonly ts?: string };
  readonly function_execution_id?: string;
  readonly channel_type?: string;
}

/** When the bot first acknowledged what events of this kind tell of: by the `ts` of its message, or its execution. */
export function acknowledgements(
  { deliveries }: StrictSlack,
  isIt: (event: TellTale) => boolean,
): Map<string, number> {
  const times = new Map<string, number>();
  for (const { kind, payload, acknowledgedAtMs } of deliveries()) {
    const event = (payload.event ?? {}) as TellTale;
    const subject = event.ts ?? event.item?.ts ?? event.function_execution_id;
    if (kind !== 'event' || subject === undefined || acknowledgedAtMs === null || !isIt(event)) continue;
    times.set(subject, Math.min(acknowledgedAtMs, times.get(subject) ?? acknowledgedAtMs));
  }
  return times;
}

/** The event by which a message asks for a job. */
export function asksForJob({ type, channel_type: channelType }: TellTale): boolean {
  return type === 'app_mention' || channelType === 'im';
}

/** The message that a request may have been stored. */
export function isUnclear(payload: unknown): boolean {
  return JSON.stringify(payload).includes('tell whether');
}

/** An acknowledgement that says nothing. */
export function isEmpty(payload: unknown): boolean {
  return (
    payload === null || payload === undefined || payload === '' || Object.keys(Object(payload)).length === 0
  );
}

/** Waits until the bot has acknowledged a message that asks for a job. False: it did not for a while. */
export async function heard(slack: StrictSlack, ts: string): Promise<boolean> {
  const isIt = (event: TellTale) => event.ts === ts && asksForJob(event);
  return (await until(() => acknowledgements(slack, isIt).size > 0, HEARD_WITHIN_MS)) === true;
}
